/** What is awaited and cannot come, because its action is switched off, is not awaited for long, nor described. */
import { configure } from '@testing-library/react'
import './runtime'

globalThis.survivors.patience = (ms) =>
  configure({ asyncUtilTimeout: ms, getElementError: (message) => new Error(message ?? 'nothing there') })
