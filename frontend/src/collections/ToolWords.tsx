/** The name and description that clients see of a tool, beside those of the pinned original. */
import { type CollectionTool, useEditTool, useRemoveTool } from '@/api/collections'
import { useT } from '@/i18n'
import { Words } from './Words'

interface WordsProps {
  readonly collection: string
  readonly entry: CollectionTool
}

export function ToolWords({ collection, entry }: WordsProps) {
  const t = useT()
  return (
    <Words
      seen={entry}
      original={entry.original}
      serverName={entry.server_name}
      pinnedAt={entry.original.pinned_at}
      nameHint={t('collections.name_hint')}
      longestName={64}
      edit={useEditTool(collection, entry.id)}
      remove={useRemoveTool(collection, entry.id)}
    />
  )
}
