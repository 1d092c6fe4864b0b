/**
 * What jsdom lacks and the components need. Every test starts with an empty page and empty storage, every file at the
 * first address with the real clock and server: files share what was imported, but for those named `.alone.`.
 */
import { cleanup, configure, prettyDOM } from '@testing-library/react'
import * as react from 'react'
import { afterAll, afterEach, vi } from 'vitest'
import { LATER, loadRest, loadWords } from '@/i18n'
import { endAnswers } from './server'

await loadRest()
await loadWords(...LATER)
configure({ asyncUtilTimeout: 20_000, getElementError: missing })

/** What is not there, with the page written out when somebody reads it: who waits looks again and again, and does not. */
function missing(message: string | null, container: Element): Error {
  const error = new Error(message ?? '')
  Error.captureStackTrace(error, missing) // the test's line first
  error.name = 'TestingLibraryElementError'
  let whole: string | undefined
  Object.defineProperty(error, 'message', {
    configurable: true,
    get: () => {
      whole ??= [message, prettyDOM(container)].filter(Boolean).join('\n\n')
      return whole
    },
  })
  return error
}

// React notes for every element by which calls it was made, until it has 10,000 of them within a second. Only its own
// warnings show that; it is a tenth of these tests' CPU. Where React has no such count, nothing changes.
const kept: unknown = Reflect.get(react, '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE')
if (kept instanceof Object && 'recentlyCreatedOwnerStacks' in kept)
  Object.defineProperty(kept, 'recentlyCreatedOwnerStacks', { get: () => 10_000, set() {} })

class NoResize {
  observe() {}
  unobserve() {}
  disconnect() {}
}

globalThis.ResizeObserver ??= NoResize as unknown as typeof ResizeObserver
window.matchMedia ??= (query: string) =>
  ({
    matches: false,
    media: query,
    onchange: null,
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
    removeListener() {},
    dispatchEvent: () => false,
  }) as MediaQueryList
Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList
Range.prototype.getBoundingClientRect ??= () => new DOMRect()
Element.prototype.scrollIntoView ??= () => {}
document.elementFromPoint ??= () => null
document.elementsFromPoint ??= () => []
Element.prototype.hasPointerCapture ??= () => false
Element.prototype.setPointerCapture ??= () => {}
Element.prototype.releasePointerCapture ??= () => {}

HTMLElement.prototype.showPopover ??= function showPopover(this: HTMLElement) {
  this.style.display = 'block'
}
HTMLElement.prototype.hidePopover ??= function hidePopover(this: HTMLElement) {
  this.style.display = ''
}
HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
  this.open = true
}
HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
  this.open = false
}

// biome-ignore lint/suspicious/noDocumentCookie: jsdom has no cookie store
document.cookie = 'patchbay_csrf=token'

afterEach(() => {
  cleanup()
  endAnswers()
  localStorage.clear()
  sessionStorage.clear()
})

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  window.history.replaceState(null, '', '/')
})
