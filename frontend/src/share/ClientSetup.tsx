/** A client of others is set up: its token is made here and shown once, in what is to be copied. */
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '@/api/client'
import { type Offer, useClientToken } from '@/api/offer'
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
import { Button, Callout, Checkbox, CodeBlock, ErrorBox, TabPanel, Tabs, useTabsId } from '@/ui'
import { CLIENTS, type Client, setupOf } from './clients'

export interface ClientSetupProps {
  readonly workflow: { readonly id: string; readonly name: string }
  readonly offer: Offer
  /** The token made last; "" = none yet. */
  readonly token: string
  readonly onToken: (token: string) => void
}

export function ClientSetup({ workflow, offer, token, onToken }: ClientSetupProps) {
  const t = useT()
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t('share.setup')}>
      <h3 className="section-title">{t('share.setup')}</h3>
      <p className="text-sm text-muted">{t('share.signs_in')}</p>
      <NewToken workflow={workflow} token={token} onToken={onToken} />
      <ClientTabs url={offer.url} token={token} />
    </section>
  )
}

interface ClientTabsProps {
  readonly url: string
  readonly token: string
  /** What clients call the server. */
  readonly server?: string
}

/** The file or command of each client, ready to copy. */
export function ClientTabs({ url, token, server }: ClientTabsProps) {
  const t = useT()
  const id = useTabsId()
  const [client, setClient] = useState<Client>('claude')
  const setup = setupOf(client, url, token || t('share.token_here'), server)
  const items = CLIENTS.map((value) => ({
    value,
    label: setupOf(value, '', '').name || t('share.client_other'),
  }))
  return (
    <>
      <Tabs label={t('share.clients')} id={id} value={client} onChange={setClient} items={items} small />
      <TabPanel id={id} value={client}>
        <div className="grid grid-cols-1 gap-1.5">
          <p className="text-xs text-muted">
            {setup.file === null ? (
              t(client === 'other' ? 'share.other_text' : 'share.command_text')
            ) : (
              <code>{setup.file}</code>
            )}
          </p>
          {client === 'desktop' ? <p className="text-xs text-muted">{t('share.desktop_text')}</p> : null}
          <CodeBlock code={setup.text} label={t('share.setup')} />
        </div>
      </TabPanel>
    </>
  )
}

/** A token for a program of others, shown once, in what is to be copied. */
export function NewToken({ workflow, token, onToken }: Omit<ClientSetupProps, 'offer'>) {
  const t = useT()
  const may = useMay('editor')
  const [only, setOnly] = useState(true)
  const make = useClientToken(workflow.id)
  if (!may) return <p className="text-sm text-muted">{t('share.viewer')}</p>
  const name = t('share.token_name', { workflow: workflow.name }).slice(0, 100)
  return (
    <div className="grid grid-cols-1 gap-2">
      <div className="share-head">
        <Checkbox
          checked={only}
          onChange={setOnly}
          label={t('share.only_this')}
          hint={t('share.only_this_hint')}
        />
        <Button
          icon={<KeyRound aria-hidden />}
          busy={make.isPending}
          onClick={() => make.mutate({ name, only }, { onSuccess: onToken })}
        >
          {t('share.new_token')}
        </Button>
      </div>
      {make.error ? <ErrorBox error={asApiError(make.error)} /> : null}
      {token ? <Callout tone="waiting">{t('share.token_once')}</Callout> : null}
    </div>
  )
}
