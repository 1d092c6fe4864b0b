/** Any value as a tree in which files, pictures, sound and links are shown as what they are. */
import { isFileValue } from '@/api/files'
import { FileRow } from '@/files'
import { JsonTree } from '@/ui'
import { isAnswer, isBlock, isContent } from './blocks'
import { Content } from './Content'
import { drawn } from './drawn'
import './results.css'

export function Tree({ value, open = 2 }: { readonly value: unknown; readonly open?: number }) {
  if (isFileValue(value)) return <FileRow file={value} />
  if (isAnswer(value)) return <Content content={value.content} structured={value.structured} />
  if (isBlock(value)) return <Content content={[value]} />
  if (isContent(value)) return <Content content={value} />
  return <JsonTree value={value} open={open} whole={drawn} />
}
