/** Uploads as component tests see them: the browser's requests, each of which the test answers. */
import { waitFor } from '@testing-library/react'
import { expect, vi } from 'vitest'

/** What the browser's uploads did: each is answered by the test. */
export class FakeUpload {
  static all: FakeUpload[] = []
  readonly upload: { onprogress?: (event: object) => void } = {}
  readonly headers: Record<string, string> = {}
  status = 0
  responseText = ''
  aborted = false
  body: FormData | null = null
  onload?: () => void
  onerror?: () => void
  onabort?: () => void

  open() {}
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value
  }
  getResponseHeader() {
    return null
  }
  send(body: FormData) {
    this.body = body
    FakeUpload.all.push(this)
  }
  abort() {
    this.aborted = true
    this.onabort?.()
  }
  progress(loaded: number, total: number) {
    this.upload.onprogress?.({ lengthComputable: true, loaded, total })
  }
  answer(status: number, body: unknown) {
    this.status = status
    this.responseText = typeof body === 'string' ? body : JSON.stringify(body)
    this.onload?.()
  }
}

/** The upload that has begun. */
export async function begun(): Promise<FakeUpload> {
  await waitFor(() => expect(FakeUpload.all).toHaveLength(1))
  return FakeUpload.all[0] as FakeUpload
}

/** What is uploaded until the file's end is answered by the test. */
export function fakeUploads(): void {
  FakeUpload.all = []
  vi.stubGlobal('XMLHttpRequest', FakeUpload)
}
