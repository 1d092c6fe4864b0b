/** The bytes of a block: an address a browser can show them by, and a file to save. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { save } from '@/api/download'
import { type FileValue, fileQuery } from '@/api/files'
import { decode, SVG } from './blocks'

interface Bytes {
  readonly mime: string
  readonly data: string
  readonly name: string
}

/** Hands the bytes to the browser as a file; never as something it would open itself. False where they are cut off. */
export function saveBytes({ data, name }: Bytes): boolean {
  const bytes = decode(data)
  if (bytes) save(new Blob([bytes], { type: 'application/octet-stream' }), name)
  return bytes !== null
}

/** Hands a text to the browser as a file. */
export const saveText = (words: string, name: string): void =>
  save(new Blob([words], { type: 'application/octet-stream' }), name)

/**
 * An address of the bytes that lasts as long as they are shown; null until it is there, or where they cannot be read.
 *
 * SVG gets a `data:` address: whoever opens that in a window of its own opens it in no origin, least of all in ours.
 */
export function useAddress({ mime, data }: Pick<Bytes, 'mime' | 'data'>): string | null {
  const drawn = mime === SVG
  const bytes = useMemo(() => (drawn ? null : decode(data)), [data, drawn])
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    if (!bytes) return setAddress(null)
    const text = URL.createObjectURL(new Blob([bytes], { type: mime }))
    setAddress(text)
    return () => URL.revokeObjectURL(text)
  }, [bytes, mime])
  return drawn ? `data:${SVG};base64,${data}` : address
}

/** Larger files are fetched only when they are asked for. */
const AT_ONCE = 10 * 1024 * 1024

/** The bytes of a file as base64: undefined until they are there, null where the file is large or gone. */
export function useFileData(file: FileValue): string | null | undefined {
  const enabled = (file.size ?? 0) <= AT_ONCE
  const { data, isError } = useQuery({ ...fileQuery(file.$file), enabled })
  const [text, setText] = useState<string>()
  useEffect(() => {
    if (!data) return
    const reader = new FileReader()
    reader.onload = () => setText(String(reader.result).replace(/^[^,]*,/, ''))
    reader.readAsDataURL(data)
    return () => reader.abort()
  }, [data])
  return !enabled || isError ? null : text
}
