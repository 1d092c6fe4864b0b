/** Addresses that a page may lead to. */

/** An address that may be followed: http, https or mail, written out; null for every other. */
export function addressOf(href: string): string | null {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return null
  try {
    const url = new URL(href)
    return url.protocol === 'mailto:' || url.host !== '' ? url.href : null
  } catch {
    return null
  }
}

/** Where a link leads: the host, of a mail its address. */
export function hostOf(href: string): string {
  const url = new URL(href)
  return url.host || url.pathname
}
