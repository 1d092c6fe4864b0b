/** Which fields are sending a file at this moment, so that a form is not sent before its files are there. */
import { create } from 'zustand'

const useUploads = create<{ readonly fields: readonly string[] }>(() => ({ fields: [] }))

export function uploadBegan(field: string): void {
  useUploads.setState(({ fields }) => ({ fields: [...fields, field] }))
}

export function uploadEnded(field: string): void {
  useUploads.setState(({ fields }) => {
    const position = fields.indexOf(field)
    return { fields: fields.filter((_, index) => index !== position) }
  })
}

/** Whether a field of the form with this prefix of ids sends a file. */
export function useUploading(idPrefix: string): boolean {
  return useUploads(({ fields }) => fields.some((field) => field.startsWith(idPrefix)))
}
