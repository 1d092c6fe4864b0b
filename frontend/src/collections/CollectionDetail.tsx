/** One collection: its address, what is in it, who uses it, and what was called. */
import { Ellipsis, Plug } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { asApiError, failureOf } from '@/api/client'
import {
  type CollectionCall,
  type CollectionDetail as Detail,
  useChangeCollection,
  useDeleteCollection,
} from '@/api/collections'
import { useMay } from '@/api/queries'
import { sentenceGap, useT } from '@/i18n'
import { docsHref } from '@/i18n/docs'
import { callerName } from '@/live/caller'
import { statusOfStanding } from '@/live/run-status'
import {
  Button,
  Callout,
  Chip,
  Confirm,
  CopyButton,
  ErrorBox,
  IconButton,
  Menu,
  RelativeTime,
  Scroll,
  StatusWord,
  Switch,
  toast,
  visible,
} from '@/ui'
import { ClientDialog } from './ClientDialog'
import { Clients } from './Clients'
import { CollectionDialog } from './CollectionDialog'
import { Contents } from './Contents'
import { Tools } from './Tools'

interface DetailProps {
  readonly collection: Detail
  /** The way back to the list, where this has the whole page. */
  readonly back: ReactNode
}

export function CollectionDetail({ collection, back }: DetailProps) {
  const t = useT()
  const [settingUp, setSettingUp] = useState(false)
  return (
    <Scroll label={visible(collection.name)} className="min-w-0 flex-1 bg-surface">
      <div className="coll-page">
        <div className="coll-main">
          {back}
          <Head collection={collection} />
          <Address url={collection.url} onSetUp={() => setSettingUp(true)} />
          <Tools collection={collection} />
          <Contents collection={collection} />
        </div>
        <aside className="coll-side" aria-label={t('collections.clients')}>
          <Clients collection={collection} onAdd={() => setSettingUp(true)} />
          <section className="grid grid-cols-1 gap-2" aria-label={t('collections.calls')}>
            <h3 className="section-title">{t('collections.calls')}</h3>
            {collection.calls_7d > 0 ? (
              <p className="text-sm text-muted">{t('collections.calls_7d', { n: collection.calls_7d })}</p>
            ) : null}
            <Calls calls={collection.calls} />
            <p className="text-xs text-muted">
              {t('collections.every_call')}
              {sentenceGap()}
              <a className="link underline" href={docsHref('sharing')}>
                {t('collections.learn')}
              </a>
            </p>
          </section>
        </aside>
      </div>
      {settingUp ? <ClientDialog collection={collection} onClose={() => setSettingUp(false)} /> : null}
    </Scroll>
  )
}

/** Name and description, the switch, and what else may be done with it. */
function Head({ collection }: { readonly collection: Detail }) {
  const t = useT()
  const may = useMay('editor')
  const change = useChangeCollection(collection.id)
  const [doing, setDoing] = useState<'edit' | 'delete' | null>(null)
  const fail = (thrown: unknown) => toast.error(failureOf(thrown))
  return (
    <header className="grid grid-cols-1 gap-3">
      <div className="coll-head">
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-lg font-semibold phone:hidden">{visible(collection.name)}</h2>
          {collection.description ? (
            <p className="text-sm break-words text-muted">{visible(collection.description)}</p>
          ) : null}
        </div>
        {may ? (
          <>
            <Switch
              label={t('collections.on')}
              checked={collection.enabled}
              disabled={change.isPending}
              onChange={(enabled) => change.mutate({ enabled }, { onError: fail })}
            />
            <Menu
              trigger={
                <IconButton label={t('collections.more')}>
                  <Ellipsis />
                </IconButton>
              }
              items={[
                { label: t('collections.edit'), onSelect: () => setDoing('edit') },
                { label: t('collections.delete'), danger: true, onSelect: () => setDoing('delete') },
              ]}
            />
          </>
        ) : (
          <Chip>{t(collection.enabled ? 'collections.on' : 'collections.off')}</Chip>
        )}
      </div>
      {collection.enabled ? null : <Callout tone="waiting">{t('collections.off_text')}</Callout>}
      {doing === 'edit' ? <CollectionDialog collection={collection} onClose={() => setDoing(null)} /> : null}
      {doing === 'delete' ? <Deletion collection={collection} onClose={() => setDoing(null)} /> : null}
    </header>
  )
}

function Deletion({ collection, onClose }: { readonly collection: Detail; readonly onClose: () => void }) {
  const t = useT()
  const [, navigate] = useLocation()
  const remove = useDeleteCollection(collection.id)
  return (
    <Confirm
      open
      onOpenChange={(open) => open || onClose()}
      title={t('collections.delete_title', { name: visible(collection.name) })}
      action={t('collections.delete_action')}
      danger
      busy={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSuccess: () => navigate('/collections') })}
    >
      {t('collections.delete_text')}
      {remove.error ? <ErrorBox error={asApiError(remove.error)} /> : null}
    </Confirm>
  )
}

function Address({ url, onSetUp }: { readonly url: string; readonly onSetUp: () => void }) {
  const t = useT()
  return (
    <section className="grid grid-cols-1 gap-1.5" aria-label={t('collections.address')}>
      <div className="coll-head">
        <h3 className="section-title">{t('collections.address')}</h3>
        <span className="text-xs text-muted">{t('collections.address_text')}</span>
      </div>
      <div className="coll-head">
        <div className="well flex min-w-0 flex-1 basis-60 items-center gap-2">
          <code className="min-w-0 flex-1 break-all">{url}</code>
          <CopyButton text={url} label={t('collections.copy_address')} />
        </div>
        <Button icon={<Plug aria-hidden />} onClick={onSetUp}>
          {t('collections.set_up')}
        </Button>
      </div>
    </section>
  )
}

function Calls({ calls }: { readonly calls: readonly CollectionCall[] }) {
  const t = useT()
  if (calls.length === 0) return <p className="text-sm text-muted">{t('collections.no_calls')}</p>
  return (
    <ul className="coll-rows">
      {calls.map((call) => (
        <li key={call.run}>
          <Link className="min-w-0 flex-1 truncate" href={`/runs/${call.run}`}>
            <code>{visible(call.tool)}</code>
          </Link>
          <span className="min-w-0 truncate text-xs text-muted phone:hidden">{callerName(call.caller)}</span>
          <span className="text-xs text-muted">
            <RelativeTime value={call.at} />
          </span>
          <StatusWord status={statusOfStanding(call)} />
        </li>
      ))}
    </ul>
  )
}
