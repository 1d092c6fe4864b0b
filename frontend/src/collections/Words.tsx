/** The name and description that clients see of something, beside those of the pinned original. */
import { Trash2, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { asApiError, failureOf } from '@/api/client'
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
import { Button, ErrorBox, RelativeTime, TextArea, TextField, toast, visible } from '@/ui'

interface Named {
  readonly name: string
  readonly description: string
}

/** What is done with it; as `useMutation` gives it. */
interface Change<Given> {
  readonly isPending: boolean
  readonly error: unknown
  readonly mutate: (
    input: Given,
    hear?: { readonly onSuccess?: () => void; readonly onError?: (thrown: Error) => void },
  ) => void
}

export interface WordsProps {
  readonly seen: Named
  readonly original: Named
  /** Whose it is, and since when it is pinned. */
  readonly serverName: string | null
  readonly pinnedAt: string | null
  readonly nameHint: string | undefined
  readonly longestName: number
  readonly edit: Change<{ readonly name?: string; readonly description?: string | null }>
  readonly remove: Change<void>
}

export function Words(props: WordsProps) {
  return (
    <div className="coll-words">
      <Seen {...props} />
      <Original {...props} />
    </div>
  )
}

function Seen({ seen, original, edit, remove, nameHint, longestName }: WordsProps) {
  const t = useT()
  const may = useMay('editor')
  const [name, setName] = useState(seen.name)
  const [description, setDescription] = useState(seen.description)
  const error = edit.error ? asApiError(edit.error) : null
  const dirty = name !== seen.name || description !== seen.description
  const save = () =>
    edit.mutate({
      ...(name === seen.name ? {} : { name }),
      ...(description === seen.description ? {} : { description: description.trim() || null }),
    })
  const asPinned = () => {
    setName(original.name)
    setDescription(original.description)
  }
  const pinned = name === original.name && description === original.description
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
        hint={error?.fields.name ? undefined : nameHint}
        mono
        readOnly={!may}
        maxLength={longestName}
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
          <Removal name={seen.name} remove={remove} />
        </div>
      ) : null}
    </section>
  )
}

function Removal({ name, remove }: { readonly name: string; readonly remove: Change<void> }) {
  const t = useT()
  const gone = () => toast.ok(t('collections.removed', { name: visible(name) }))
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

function Original({ original, serverName, pinnedAt }: WordsProps) {
  const t = useT()
  return (
    <section className="grid grid-cols-1 content-start gap-3" aria-label={t('collections.original')}>
      <div className="coll-head min-h-7">
        <h4 className="text-xs font-medium text-muted">{t('collections.original')}</h4>
        <span className="ml-auto text-xs text-muted">
          {serverName === null ? null : visible(serverName)}
          {pinnedAt ? (
            <>
              {' · '}
              <RelativeTime value={pinnedAt} />
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
