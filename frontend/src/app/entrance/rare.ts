/** Screens that few people come to, each fetched with its words; kept out of the first load, names of files included. */
import { loadRest, loadWords } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'

export const join = async () => {
  const [file] = await Promise.all([fetchCode(() => import('./JoinPage')), loadRest()])
  return file
}

export const noTeam = async () => {
  const [file] = await Promise.all([fetchCode(() => import('./NoTeamPage')), loadRest()])
  return { default: file.NoTeamPage }
}

export const secondFactor = async () => {
  const [file] = await Promise.all([fetchCode(() => import('./SecondFactorPage')), loadRest()])
  return { default: file.SecondFactorPage }
}

export const consent = async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('./consent/ConsentPage')),
    loadRest(),
    loadWords('consent'),
  ])
  return file
}

export const signInReturn = async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('@/registry/sign-in/ReturnPage')),
    loadRest(),
    loadWords('signin'),
  ])
  return file
}
