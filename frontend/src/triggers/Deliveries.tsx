/** The last fifty deliveries of a trigger, masked: what came of each, what came in, and doing it again. */
import { useQuery } from '@tanstack/react-query'
import { Download, Play, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { asApiError, failureOf } from '@/api/client'
import { download } from '@/api/download'
import { useMay } from '@/api/queries'
import {
  type Delivery,
  deliveriesFile,
  deliveriesQuery,
  type Trigger,
  useReplay,
  useTryTrigger,
} from '@/api/triggers'
import { useT } from '@/i18n'
import {
  Button,
  bytes,
  Chip,
  dateTime,
  EmptyState,
  ErrorBox,
  IconButton,
  JsonTree,
  LoadFailed,
  RelativeTime,
  Segmented,
  Skeleton,
  toast,
  visible,
} from '@/ui'
import { canReplay, isBad, OutcomeWord } from './parts'
import { useStarted } from './started'

export function Deliveries({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  const { data, error, isPending, refetch } = useQuery(deliveriesQuery(trigger.id))
  const [only, setOnly] = useState<'all' | 'bad'>('all')
  const bad = data?.filter(isBad) ?? []
  const shown = only === 'bad' ? bad : (data ?? [])
  return (
    <section className="grid min-w-0 grid-cols-1 content-start gap-3">
      <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="font-semibold">{t('triggers.deliveries')}</h2>
        <span className="mr-auto text-xs text-muted">{t('triggers.deliveries_text')}</span>
        {data && data.length > 0 ? (
          <span className="flex items-center gap-3">
            <Segmented<'all' | 'bad'>
              small
              label={t('triggers.which')}
              value={only}
              onChange={setOnly}
              options={[
                { value: 'all', label: t('triggers.show_all') },
                { value: 'bad', label: t('triggers.show_bad', { n: bad.length }) },
              ]}
            />
            <Export trigger={trigger} />
          </span>
        ) : null}
      </div>
      {error ? (
        <LoadFailed error={asApiError(error)} title={t('triggers.deliveries_failed')} onRetry={refetch} />
      ) : null}
      {isPending ? <Skeleton rows={5} row={40} /> : null}
      {data?.length === 0 ? (
        <EmptyState
          flush
          title={t('triggers.no_deliveries')}
          text={t(`triggers.no_deliveries_${trigger.kind}`)}
        />
      ) : null}
      {data && data.length > 0 && shown.length === 0 ? (
        <p className="text-muted">{t('triggers.no_bad')}</p>
      ) : null}
      {shown.length > 0 ? (
        <ul className="overflow-hidden rounded-md border border-line" aria-label={t('triggers.deliveries')}>
          {shown.map((delivery) => (
            <DeliveryRow key={delivery.id} trigger={trigger} delivery={delivery} />
          ))}
        </ul>
      ) : null}
    </section>
  )
}

/** All of them as a file, not only those that are shown. */
function Export({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  const [busy, setBusy] = useState(false)
  const take = () => {
    setBusy(true)
    void download(deliveriesFile(trigger.id))
      .catch((thrown) => toast.error(failureOf(thrown)))
      .finally(() => setBusy(false))
  }
  return (
    <IconButton label={t('triggers.export')} busy={busy} onClick={take}>
      <Download />
    </IconButton>
  )
}

function DeliveryRow({ trigger, delivery }: { readonly trigger: Trigger; readonly delivery: Delivery }) {
  const t = useT()
  const [open, setOpen] = useState(false)
  return (
    <li className="delivery">
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary aria-label={t('triggers.delivery_of', { when: dateTime(delivery.at) })}>
          <OutcomeWord delivery={delivery} />
          {delivery.status ? (
            <Chip mono>{t('triggers.answered', { status: String(delivery.status) })}</Chip>
          ) : null}
          {delivery.replay_of ? <Chip>{t('triggers.replayed')}</Chip> : null}
          {delivery.error ? (
            <span className="font-mono text-xs text-muted">{delivery.error.code}</span>
          ) : null}
          <span className="ml-auto text-xs text-muted">
            <RelativeTime value={delivery.at} />
          </span>
        </summary>
        {open ? <DeliveryDetails trigger={trigger} delivery={delivery} /> : null}
      </details>
      <p className="px-3 pb-2 text-sm">
        {delivery.run ? (
          <Link href={`/runs/${delivery.run}`} className="link">
            {t('triggers.open_run')} <span className="font-mono text-xs">…{delivery.run.slice(-6)}</span>
          </Link>
        ) : (
          <span className="text-muted">{t('triggers.no_run')}</span>
        )}
        {trigger.kind === 'schedule' && delivery.slot ? (
          <span className="ml-3 text-muted">{t('triggers.due', { when: dateTime(delivery.slot) })}</span>
        ) : null}
      </p>
    </li>
  )
}

function DeliveryDetails({ trigger, delivery }: { readonly trigger: Trigger; readonly delivery: Delivery }) {
  const t = useT()
  const { error, request, size } = delivery
  return (
    <div className="grid grid-cols-1 gap-3 p-3">
      {error ? (
        <ErrorBox error={error}>
          {Object.entries(error.fields).map(([name, texts]) => (
            <p key={name} className="text-sm">
              <code className="font-mono text-xs">{visible(name)}</code> {visible(texts.join(' '))}
            </p>
          ))}
        </ErrorBox>
      ) : null}
      <div className="grid grid-cols-1 gap-1">
        <h3 className="text-sm font-semibold">{t('triggers.request')}</h3>
        {request ? (
          <div className="well overflow-auto">
            <JsonTree value={request} open={1} />
          </div>
        ) : (
          <p className="text-muted">
            {size === null ? t('triggers.request_none') : t('triggers.request_large', { size: bytes(size) })}
          </p>
        )}
      </div>
      {canReplay(trigger) ? <Again trigger={trigger} delivery={delivery} /> : null}
    </div>
  )
}

/** The published version or the draft with what came in. */
function Again({ trigger, delivery }: { readonly trigger: Trigger; readonly delivery: Delivery }) {
  const t = useT()
  const blocked = useMay('editor') ? undefined : t('triggers.editors_only')
  const replay = useReplay(trigger.id)
  const attempt = useTryTrigger(trigger.id)
  const started = useStarted()
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        size="small"
        icon={<RotateCcw aria-hidden />}
        tip={t('triggers.replay_tip')}
        blocked={blocked}
        busy={replay.isPending}
        onClick={() => replay.mutate(delivery.id, started)}
      >
        {t('triggers.replay')}
      </Button>
      <Button
        size="small"
        icon={<Play aria-hidden />}
        blocked={blocked}
        busy={attempt.isPending}
        onClick={() => attempt.mutate({ delivery: delivery.id }, started)}
      >
        {t('triggers.try_with')}
      </Button>
    </div>
  )
}
