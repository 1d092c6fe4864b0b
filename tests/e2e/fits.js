/* What does not fit a page: sideways scroll, controls out of reach, text cut without a way to read it. */
() => {
  const found = []
  const wide = window.innerWidth
  const name = (element) => {
    const said = (element.getAttribute('aria-label') || element.textContent || '').trim().replace(/\s+/g, ' ')
    const kind = typeof element.className === 'string' ? element.className.split(' ').slice(0, 3).join('.') : ''
    return `${element.tagName.toLowerCase()}${kind ? `.${kind}` : ''} "${said.slice(0, 48)}"`
  }
  const style = (element) => getComputedStyle(element)
  const shown = (element) =>
    element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && !element.closest('[inert], .sr-only')
  /* The graph is looked at through a window that is moved; a program's text keeps its lines. */
  const apart = (element) =>
    element.closest('.react-flow, .canvas-map, pre, code, .cm-editor, textarea, svg, .tip, [data-testid="editor-text"]')

  if (document.scrollingElement.scrollWidth > wide + 1) found.push(`page scrolls sideways: ${document.scrollingElement.scrollWidth}`)

  const all = [...document.body.querySelectorAll('*')].filter((element) => !apart(element) && shown(element))
  for (const element of all) {
    const { overflowX } = style(element)
    if ((overflowX === 'auto' || overflowX === 'scroll') && element.scrollWidth > element.clientWidth + 1)
      found.push(`sideways ${element.scrollWidth} in ${element.clientWidth}: ${name(element)}`)
  }

  /* The part of the window that an element's contents can be seen in, scrolled where it can be scrolled. */
  const windowOf = (element) => {
    const box = { left: 0, right: wide, top: -Infinity, bottom: Infinity }
    let scrolls = style(document.body).overflowY === 'visible'
    for (let above = element.parentElement; above && above !== document.body; above = above.parentElement) {
      const { overflowX, overflowY, position } = style(above)
      const rect = above.getBoundingClientRect()
      if (overflowX !== 'visible') {
        box.left = Math.max(box.left, rect.left)
        box.right = Math.min(box.right, rect.right)
      }
      if (overflowY === 'auto' || overflowY === 'scroll') scrolls = true
      else if (overflowY !== 'visible' && !scrolls) {
        box.top = Math.max(box.top, rect.top)
        box.bottom = Math.min(box.bottom, rect.bottom)
      }
      if (position === 'fixed') break
    }
    if (!scrolls) {
      box.top = Math.max(box.top, 0)
      box.bottom = Math.min(box.bottom, window.innerHeight)
    }
    return box
  }
  /* Where a long text that does not fit ends in "…", as far as that is asked for. */
  const ellipsis = (element) => {
    for (let above = element; above && above !== document.body; above = above.parentElement) {
      const { textOverflow, webkitLineClamp } = style(above)
      if (textOverflow !== 'ellipsis' && webkitLineClamp === 'none') continue
      if (above.scrollWidth > above.clientWidth || above.scrollHeight > above.clientHeight + 1) return true
    }
    return false
  }
  const controls =
    'a[href], button, input, select, textarea, summary, [role="button"], [role="tab"], [role="switch"], [role="slider"]'
  for (const element of all.filter((one) => one.matches(controls))) {
    const rect = element.getBoundingClientRect()
    if (rect.width <= 2 || rect.height <= 2) continue
    const box = windowOf(element)
    const over = Math.max(box.left - rect.left, rect.right - box.right, box.top - rect.top, rect.bottom - box.bottom)
    const left = Math.min(box.right, rect.right) - Math.max(box.left, rect.left)
    const shortened = !element.matches('.btn, [role="tab"]') && left >= Math.min(44, rect.width) && ellipsis(element)
    if (over > 2 && !shortened) found.push(`control outside by ${Math.round(over)}: ${name(element)}`)
  }

  /* What ends in "…" shows the whole when it is pointed at; a word that names a control or a state has to stand whole. */
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent.trim()
    const element = node.parentElement
    if (!text || apart(element) || !shown(element)) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const rects = [...range.getClientRects()].filter((rect) => rect.width > 0)
    if (rects.length === 0) continue
    let lost = 0
    const box = { left: 0, right: wide, top: -Infinity, bottom: Infinity }
    let free = false
    for (let above = element; above && above !== document.body; above = above.parentElement) {
      const { overflowX, overflowY } = style(above)
      const rect = above.getBoundingClientRect()
      if (overflowX !== 'visible') {
        box.left = Math.max(box.left, rect.left)
        box.right = Math.min(box.right, rect.right)
      }
      if (overflowY === 'auto' || overflowY === 'scroll') free = true
      else if (overflowY !== 'visible' && !free) {
        box.top = Math.max(box.top, rect.top)
        box.bottom = Math.min(box.bottom, rect.bottom)
      }
    }
    for (const rect of rects)
      lost = Math.max(lost, box.left - rect.left, rect.right - box.right, box.top - rect.top - 2, rect.bottom - box.bottom - 2)
    if (lost <= 2) continue
    const word = element.closest('.btn, [role="tab"], .status, .chip, th, label, time')
    if (ellipsis(element) && !(word && text.length <= 24)) continue
    found.push(`text cut by ${Math.round(lost)}: ${name(element)}`)
  }
  return [...new Set(found)]
}
