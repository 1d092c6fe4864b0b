/** Fetches code after the page has loaded; a network or a server that is away for a moment takes nothing from the page. */

/** How long to wait before asking again while nobody answers, ms: together longer than a restart of the server takes. */
const PAUSES_MS = [300, 1000, 2000, 4000, 8000]

/** Whether the server answers at all. */
async function serverAnswers(): Promise<boolean> {
  try {
    return (await fetch('/api/health', { method: 'HEAD', cache: 'no-store' })).status < 500
  } catch {
    return false
  }
}

/** Resolves after so many ms, or as soon as the browser is online again. */
async function pause(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const timer = setTimeout(resolve, ms)
  window.addEventListener('online', resolve)
  await promise
  clearTimeout(timer)
  window.removeEventListener('online', resolve)
}

/**
 * Fetches what `load` imports, again while nobody answers: of a browser that knows that it is offline as often as it
 * takes, else for some 15 s.
 *
 * @throws what `load` threw last; a file that is gone after an update is told at once, since then the server answers.
 */
export async function fetchCode<File>(load: () => Promise<File>): Promise<File> {
  let refused = false
  for (let attempt = 0; ; ) {
    try {
      return await load()
    } catch (error) {
      if (await serverAnswers()) {
        // once more: the network may have come back in between
        if (refused) throw error
        refused = true
        continue
      }
      const wait = PAUSES_MS[attempt]
      if (wait === undefined) throw error
      if (navigator.onLine) attempt += 1
      await pause(wait)
    }
  }
}
