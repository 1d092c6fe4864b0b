/** A collection's name, description and address: of a new one, or of one that is there. */
import { type FormEvent, useId, useState } from 'react'
import { asApiError } from '@/api/client'
import {
  type Collection,
  type CollectionDetail,
  useChangeCollection,
  useNewCollection,
} from '@/api/collections'
import { useT } from '@/i18n'
import { Button, Dialog, ErrorBox, TextArea, TextField } from '@/ui'

export interface CollectionDialogProps {
  /** The one that is edited; absent = a new one. */
  readonly collection?: Collection
  readonly onClose: () => void
  readonly onSaved?: (saved: CollectionDetail) => void
}

export function CollectionDialog({ collection, onClose, onSaved }: CollectionDialogProps) {
  const t = useT()
  const form = useId()
  const [name, setName] = useState(collection?.name ?? '')
  const [description, setDescription] = useState(collection?.description ?? '')
  const [slug, setSlug] = useState(collection?.slug ?? '')
  const create = useNewCollection()
  const change = useChangeCollection(collection?.id ?? '')
  const saving = collection ? change : create
  const error = saving.error ? asApiError(saving.error) : null
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (saving.isPending) return
    const words = { name: name.trim(), description, ...(slug && slug !== collection?.slug ? { slug } : {}) }
    saving.mutate(words, {
      onSuccess: (saved) => {
        onSaved?.(saved)
        onClose()
      },
    })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t(collection ? 'collections.edit_title' : 'collections.new')}
      size="small"
      footer={
        <>
          <Button size="large" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button
            size="large"
            variant="primary"
            type="submit"
            form={form}
            busy={saving.isPending}
            disabled={name.trim() === ''}
          >
            {t(collection ? 'common.save' : 'collections.create')}
          </Button>
        </>
      }
    >
      <form id={form} className="grid grid-cols-1 gap-4" onSubmit={save}>
        <TextField
          label={t('collections.name')}
          value={name}
          onChange={setName}
          maxLength={200}
          required
          error={error?.fields.name?.[0]}
        />
        <TextArea
          label={t('collections.description')}
          rows={3}
          value={description}
          onChange={setDescription}
          maxLength={8192}
          error={error?.fields.description?.[0]}
        />
        {collection ? (
          <TextField
            label={t('collections.slug')}
            hint={t('collections.slug_hint')}
            mono
            value={slug}
            onChange={setSlug}
            maxLength={63}
            error={error?.fields.slug?.[0]}
          />
        ) : null}
        {error && Object.keys(error.fields).length === 0 ? <ErrorBox error={error} /> : null}
      </form>
    </Dialog>
  )
}
