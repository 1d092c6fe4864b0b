/**
 * Copy, cut and paste by the browser's own events: they work without asking for permission and on plain http. The
 * menu and the palette use the clipboard API instead.
 */
import { useEffect } from 'react'
import type { CanvasController } from '@/canvas/controller'

/** Whether a clipboard event is meant for the canvas: nobody types, and no text elsewhere is marked. */
function isOurs(event: ClipboardEvent, controller: CanvasController): boolean {
  const target = event.target instanceof HTMLElement ? event.target : document.body
  if (target.isContentEditable || target.matches('input, textarea, select')) return false
  if (document.querySelector('[role="dialog"], [role="alertdialog"]')) return false
  const inside = target === document.body || (controller.view.element?.contains(target) ?? false)
  return inside && (event.type === 'paste' || (window.getSelection()?.isCollapsed ?? true))
}

export function useClipboardEvents(controller: CanvasController): void {
  useEffect(() => {
    const copy = (event: ClipboardEvent) => {
      if (!isOurs(event, controller)) return
      const text = controller.copyText()
      if (!text) return
      event.clipboardData?.setData('text/plain', text)
      event.preventDefault()
      if (event.type === 'cut') controller.removeSelection('cut')
    }
    const paste = (event: ClipboardEvent) => {
      if (!isOurs(event, controller)) return
      const text = event.clipboardData?.getData('text/plain')
      if (text && controller.pasteOrSay(text)) event.preventDefault()
    }
    document.addEventListener('copy', copy)
    document.addEventListener('cut', copy)
    document.addEventListener('paste', paste)
    return () => {
      document.removeEventListener('copy', copy)
      document.removeEventListener('cut', copy)
      document.removeEventListener('paste', paste)
    }
  }, [controller])
}
