/** Files that go with the next message: each is sent as soon as it is chosen. */
import { useRef, useState } from 'react'
import { asApiError } from '@/api/client'
import { type FileValue, uploadFile } from '@/api/files'

export interface Attached {
  readonly id: number
  readonly name: string
  /** How much was sent, 0 to 1. */
  readonly share: number
  /** Once it is kept. */
  readonly file: FileValue | null
  readonly error: string
}

const MOST_FILES = 20

export function useAttached() {
  const [attached, setAttached] = useState<readonly Attached[]>([])
  const stops = useRef(new Map<number, AbortController>())
  const last = useRef(0)
  const change = (id: number, part: Partial<Attached>) =>
    setAttached((before) => before.map((item) => (item.id === id ? { ...item, ...part } : item)))
  const send = async (id: number, file: File) => {
    const stop = new AbortController()
    stops.current.set(id, stop)
    try {
      const value = await uploadFile(file, (share) => change(id, { share }), stop.signal)
      change(id, { file: value, share: 1 })
    } catch (thrown) {
      if (!stop.signal.aborted) change(id, { error: asApiError(thrown).message })
    } finally {
      stops.current.delete(id)
    }
  }
  const add = (files: readonly File[]) => {
    for (const file of files.slice(0, MOST_FILES - attached.length)) {
      const id = ++last.current
      setAttached((before) => [...before, { id, name: file.name, share: 0, file: null, error: '' }])
      void send(id, file)
    }
  }
  const remove = (id: number) => {
    stops.current.get(id)?.abort()
    setAttached((before) => before.filter((item) => item.id !== id))
  }
  const clear = () => setAttached([])
  const sending = attached.some(({ file, error }) => file === null && !error)
  return { attached, add, remove, clear, sending }
}
