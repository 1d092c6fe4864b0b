/** A client is set up: its token is made here and shown once, in what is to be copied, and tried at the address. */
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '@/api/client'
import { type CollectionDetail, useNewCollectionToken } from '@/api/collections'
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
import { ClientTabs } from '@/share/ClientSetup'
import { LiveTest } from '@/share/LiveTest'
import '@/share/share.css'
import { Button, Callout, Dialog, ErrorBox, TextField, visible } from '@/ui'

interface ClientDialogProps {
  readonly collection: CollectionDetail
  readonly onClose: () => void
}

/** A tool that every client of a collection has. */
const ALWAYS = 'get_run'

export function ClientDialog({ collection, onClose }: ClientDialogProps) {
  const t = useT()
  const may = useMay('editor')
  const [name, setName] = useState<string>(t('collections.token_default'))
  const [token, setToken] = useState('')
  const make = useNewCollectionToken(collection.id)
  const called = name.trim()
  const expected = collection.entries.find((entry) => !entry.gone && entry.gate !== 'deny')
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={`${t('collections.set_up')}: ${visible(collection.name)}`}
      footer={
        <Button size="large" onClick={onClose}>
          {t('common.close')}
        </Button>
      }
    >
      <div className="coll-setup">
        {may ? (
          <div className="coll-head items-end!">
            <TextField
              className="min-w-0 flex-1 basis-48"
              label={t('collections.token_name')}
              value={name}
              onChange={setName}
              maxLength={200}
            />
            <Button
              icon={<KeyRound aria-hidden />}
              busy={make.isPending}
              disabled={called === ''}
              onClick={() => make.mutate(called, { onSuccess: setToken })}
            >
              {t('collections.new_token')}
            </Button>
          </div>
        ) : (
          <p className="text-sm text-muted">{t('collections.viewer')}</p>
        )}
        {make.error ? <ErrorBox error={asApiError(make.error)} /> : null}
        {token ? <Callout tone="waiting">{t('collections.token_once')}</Callout> : null}
        <ClientTabs url={collection.url} token={token} server={collection.slug} />
        <LiveTest offer={{ url: collection.url, name: expected?.name ?? ALWAYS }} token={token} />
      </div>
    </Dialog>
  )
}
