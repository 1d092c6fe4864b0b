/** A browser and a system in words, as far as the user agent tells them. */

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/Chrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

const first = (of: typeof BROWSERS, agent: string): string | null =>
  of.find(([mark]) => mark.test(agent))?.[1] ?? null

/** What is known of a device; null = nothing. */
export const deviceOf = (agent: string): { browser: string | null; system: string | null } => ({
  browser: first(BROWSERS, agent),
  system: first(SYSTEMS, agent),
})

/** Whether it is held in a hand. */
export const isHandheld = (agent: string): boolean => /\b(iPhone|iPad|Android)\b/.test(agent)
