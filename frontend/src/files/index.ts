/** Files in forms and values. `FileInput` is loaded by those who show one. */
export { KINDS } from './accept'
export { FileRow, fileIn } from './FileRow'
export { useUploading } from './uploads'
