/** Files of the team: uploaded with their progress, read with our headers, and as they stand in values. */
import { queryOptions } from '@tanstack/react-query'
import { type ApiError, asApiError, ourHeaders, pageData, patchbayFetch, refused, withCookie } from './client'

/** A file in a value. */
export interface FileValue {
  readonly $file: string
  readonly name?: string
  readonly mime?: string
  /** Bytes. */
  readonly size?: number
}

export function isFileValue(value: unknown): value is FileValue {
  return typeof value === 'object' && value !== null && typeof (value as FileValue).$file === 'string'
}

/** The largest file that is kept. */
export const mostMegabytes = (): number => pageData().max_file_mb

const AT = '/api/files'

/** The bytes of a file; they never change. */
export const fileQuery = (id: string) =>
  queryOptions({
    queryKey: ['file', id],
    queryFn: async ({ signal }): Promise<Blob> => {
      const address = new URL(`${AT}/${encodeURIComponent(id)}`, window.location.origin)
      return (await patchbayFetch(new Request(address, { signal }))).blob()
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  })

/**
 * Keeps a file. `onProgress` hears the share that was sent, 0 to 1. Throws `ApiError`: TOO_LARGE also where something
 * between us and the server refused it with 413; an AbortError when `signal` says so.
 */
export async function uploadFile(
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<FileValue> {
  await withCookie().catch((thrown) => {
    throw asApiError(thrown)
  })
  const { status, text, retryAfter } = await sent(file, onProgress, signal)
  if (status === 201) {
    const { id, name, mime, size } = JSON.parse(text)
    return { $file: id, name, mime, size }
  }
  throw await refused(new Response(text, { status, headers: { 'Retry-After': retryAfter } }))
}

/** Whether an upload was refused for its size, by the server or by something before it. */
export const isTooLarge = (error: ApiError): boolean => error.status === 413

interface Sent {
  readonly status: number
  readonly text: string
  readonly retryAfter: string
}

/** `fetch` does not tell how much was sent. */
function sent(file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const stop = () => request.abort()
    const end = (act: () => void) => () => {
      signal.removeEventListener('abort', stop)
      act()
    }
    request.open('POST', AT)
    for (const [name, value] of Object.entries(ourHeaders('POST'))) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress(loaded / total)
    }
    request.onload = end(() =>
      resolve({
        status: request.status,
        text: request.responseText,
        retryAfter: request.getResponseHeader('Retry-After') ?? '',
      }),
    )
    request.onerror = end(() => reject(asApiError(new TypeError('no answer'))))
    request.onabort = end(() => reject(new DOMException('The upload was stopped.', 'AbortError')))
    if (signal.aborted) return reject(new DOMException('The upload was stopped.', 'AbortError'))
    signal.addEventListener('abort', stop)
    const form = new FormData()
    form.append('file', file)
    request.send(form)
  })
}
