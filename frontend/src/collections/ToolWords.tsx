/** The name and description that clients see of a tool, beside those of the pinned original. */
import { Trash2, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { asApiError, failureOf } from '@/api/client'
import { type CollectionTool, useEditTool, useRemoveTool } from '@/api/collections'
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
import { Button, ErrorBox, RelativeTime, TextArea, TextField, toast, visible } from '@/ui'

interface WordsProps {
  readonly collection: string
  readonly entry: CollectionTool
}

export function ToolWords(props: WordsProps) {
  return (
    <div className="coll-words">
      <Seen {...props} />
      <Original entry={props.entry} />
    </div>
  )
}

function Seen({ collection, entry }: WordsProps) {
  const t = useT()
  const may = useMay('editor')
  const [name, setName] = useState(entry.name)
  const [description, setDescription] = useState(entry.description)
  const edit = useEditTool(collection, entry.id)
  const error = edit.error ? asApiError(edit.error) : null
  const dirty = name !== entry.name || description !== entry.description
  const save = () =>
    edit.mutate({
      ...(name === entry.name ? {} : { name }),
      ...(description === entry.description ? {} : { description: description.trim() || null }),
    })
  const asPinned = () => {
    setName(entry.original.name)
    setDescription(entry.original.description)
  }
  const pinned = name === entry.original.name && description === entry.original.description
  return (
    <section className="grid grid-cols-1 content-start gap-3" aria-label={t('collections.seen')}>
      <div className="coll-head min-h-7">
        <h4 className="text-xs font-medium text-muted">{t('collections.seen')}</h4>
        {may && !pinned ? (
          <Button
            className="ml-auto"
            size="small"
            variant="quiet"
            icon={<Undo2 aria-hidden />}
            onClick={asPinned}
          >
            {t('collections.as_pinned')}
          </Button>
        ) : null}
      </div>
      <TextField
        label={t('collections.name')}
        hint={error?.fields.name ? undefined : t('collections.name_hint')}
        mono
        readOnly={!may}
        maxLength={64}
        value={name}
        onChange={setName}
        error={error?.fields.name?.[0]}
      />
      <TextArea
        label={t('collections.description')}
        readOnly={!may}
        rows={4}
        maxLength={4096}
        value={description}
        onChange={setDescription}
        error={error?.fields.description?.[0]}
      />
      {error && Object.keys(error.fields).length === 0 ? <ErrorBox error={error} /> : null}
      {may ? (
        <div className="coll-head">
          {dirty ? (
            <Button variant="primary" busy={edit.isPending} onClick={save}>
              {t('common.save')}
            </Button>
          ) : null}
          <Removal collection={collection} entry={entry} />
        </div>
      ) : null}
    </section>
  )
}

function Removal({ collection, entry }: WordsProps) {
  const t = useT()
  const remove = useRemoveTool(collection, entry.id)
  const gone = () => toast.ok(t('collections.removed', { name: visible(entry.name) }))
  return (
    <Button
      variant="quiet"
      icon={<Trash2 aria-hidden />}
      busy={remove.isPending}
      onClick={() =>
        remove.mutate(undefined, { onSuccess: gone, onError: (thrown) => toast.error(failureOf(thrown)) })
      }
    >
      {t('collections.remove')}
    </Button>
  )
}

function Original({ entry }: { readonly entry: CollectionTool }) {
  const t = useT()
  const { original } = entry
  return (
    <section className="grid grid-cols-1 content-start gap-3" aria-label={t('collections.original')}>
      <div className="coll-head min-h-7">
        <h4 className="text-xs font-medium text-muted">{t('collections.original')}</h4>
        <span className="ml-auto text-xs text-muted">
          {entry.server_name === null ? null : visible(entry.server_name)}
          {original.pinned_at ? (
            <>
              {' · '}
              <RelativeTime value={original.pinned_at} />
            </>
          ) : null}
        </span>
      </div>
      <TextField label={t('collections.name')} mono readOnly value={original.name} onChange={nothing} />
      <TextArea
        label={t('collections.description')}
        readOnly
        rows={4}
        placeholder={t('collections.no_description')}
        value={visible(original.description)}
        onChange={nothing}
      />
    </section>
  )
}

const nothing = (): void => {}
