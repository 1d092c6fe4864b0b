/** Files that the installation makes: fetched with our headers, so that they come from the team acted in, then saved. */
import { patchbayFetch } from './client'

/** Fetches `path` and hands it to the browser under the name that the server gives it. Throws ApiError. */
export async function download(path: string): Promise<void> {
  const response = await patchbayFetch(new Request(new URL(path, window.location.origin)))
  const named = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')
  save(await response.blob(), named?.[1] ?? 'download')
}

/** Hands bytes to the browser as a file. */
export function save(data: Blob, name: string): void {
  const address = URL.createObjectURL(data)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  window.setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
