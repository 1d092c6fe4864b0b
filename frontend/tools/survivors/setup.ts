/** What is awaited and cannot come, because its action is switched off, is not awaited for long. */
import { configure } from '@testing-library/react'
import './runtime'

if (process.env.SURVIVORS_MODE === 'kill') configure({ asyncUtilTimeout: 2500 })
