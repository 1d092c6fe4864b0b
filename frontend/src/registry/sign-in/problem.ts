/** What went wrong last with a sign-in, as an error that a box shows. */
import { ApiError } from '@/api/client'
import type { SignInState } from './data'

export const problemOf = ({ problem }: SignInState): ApiError | null =>
  problem ? new ApiError(0, problem.code, problem.message, problem.hint) : null
