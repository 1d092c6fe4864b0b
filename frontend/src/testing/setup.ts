/**
 * What jsdom lacks and the components need. Every test starts with an empty page and empty storage, every file at the
 * first address with the real clock and server: files share what was imported, but for those named `.alone.`.
 */
import { cleanup, configure } from '@testing-library/react'
import { afterAll, afterEach, vi } from 'vitest'
import { LATER, loadRest, loadWords } from '@/i18n'
import { endAnswers } from './server'

await loadRest()
await loadWords(...LATER)
configure({ asyncUtilTimeout: 20_000 })

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
