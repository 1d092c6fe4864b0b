/** Trying one of a workflow's triggers from its editor: the draft runs with a delivery, or with a sample, and is shown. */
import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { asApiError } from '@/api/client'
import type { Run } from '@/api/run-types'
import { type Delivery, deliveriesQuery, type Trigger, triesQuery, useTryTrigger } from '@/api/triggers'
import { useT } from '@/i18n'
import {
  Button,
  bytes,
  Dialog,
  dateTime,
  EmptyState,
  ErrorBox,
  JsonTree,
  LoadFailed,
  Select,
  Skeleton,
  visible,
} from '@/ui'
import { canReplay, OutcomeWord } from './parts'
import './triggers.css'

export interface TryInEditorProps {
  readonly workflow: string
  /** Saves what is not saved yet. */
  readonly save: () => Promise<number>
  readonly onStarted: (run: Run) => void
  readonly onClose: () => void
}

export function TryInEditor({ workflow, save, onStarted, onClose }: TryInEditorProps) {
  const t = useT()
  const { data, error, isPending, refetch } = useQuery(triesQuery(workflow))
  const [chosen, setChosen] = useState('')
  const trigger = data?.find(({ id }) => id === chosen) ?? data?.[0]
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('triggers.try_here')}>
      {isPending ? <Skeleton rows={4} row={40} /> : null}
      {error && !data ? (
        <LoadFailed error={asApiError(error)} title={t('triggers.load_failed')} onRetry={refetch} />
      ) : null}
      {data && !trigger ? <None workflow={workflow} /> : null}
      {data && trigger ? (
        <div className="grid grid-cols-1 gap-4">
          <p className="text-sm text-muted">{t('triggers.try_here_text')}</p>
          <Select
            label={t('triggers.trigger')}
            value={trigger.id}
            onChange={setChosen}
            options={data.map(({ id, name, kind }) => ({
              value: id,
              label: `${visible(name)} · ${t(`triggers.${kind}`)}`,
            }))}
          />
          <Attempt key={trigger.id} trigger={trigger} {...{ save, onStarted, onClose }} />
        </div>
      ) : null}
    </Dialog>
  )
}

function None({ workflow }: { readonly workflow: string }) {
  const t = useT()
  return (
    <EmptyState
      flush
      title={t('triggers.try_none')}
      text={t('triggers.try_none_text')}
      actions={
        <Link href={`/triggers?workflow=${workflow}`} className="btn">
          {t('triggers.title')}
        </Link>
      }
    />
  )
}

interface AttemptProps extends Omit<TryInEditorProps, 'workflow'> {
  readonly trigger: Trigger
}

/** Saves, then runs; what fails of either stands in the dialog. */
function useAttempt({ trigger, save, onStarted, onClose }: AttemptProps) {
  const attempt = useTryTrigger(trigger.id)
  const [saving, setSaving] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const busy = saving || attempt.isPending
  const run = async (delivery: Delivery | null) => {
    if (busy) return
    setFailure(null)
    setSaving(true)
    try {
      await save()
      const started = await attempt.mutateAsync(delivery ? { delivery: delivery.id } : {})
      onClose()
      onStarted(started)
    } catch (thrown) {
      setFailure(thrown)
    } finally {
      setSaving(false)
    }
  }
  return { run, busy, error: failure === null ? null : asApiError(failure) }
}

function Attempt(props: AttemptProps) {
  const { trigger } = props
  const t = useT()
  const { run, busy, error } = useAttempt(props)
  const replays = canReplay(trigger)
  const list = useQuery({ ...deliveriesQuery(trigger.id), enabled: replays })
  /** The newest is taken until another one, or the sample, is chosen. */
  const [chosen, setChosen] = useState<string | null>(null)
  const deliveries = replays ? (list.data ?? []) : []
  const delivery =
    chosen === '' ? null : (deliveries.find(({ id }) => id === chosen) ?? deliveries[0] ?? null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(delivery)
  }
  return (
    <form className="grid grid-cols-1 gap-4" onSubmit={submit}>
      {list.error && !list.data ? (
        <LoadFailed
          error={asApiError(list.error)}
          title={t('triggers.deliveries_failed')}
          onRetry={list.refetch}
        />
      ) : null}
      {replays && list.isPending ? (
        <Skeleton rows={3} row={36} />
      ) : (
        <Choices deliveries={deliveries} chosen={delivery} onChoose={setChosen} />
      )}
      {delivery ? <Came delivery={delivery} /> : null}
      {error ? (
        <ErrorBox error={error}>
          {Object.entries(error.fields).map(([name, texts]) => (
            <p key={name} className="text-sm">
              <code className="font-mono text-xs">{visible(name)}</code> {visible(texts.join(' '))}
            </p>
          ))}
        </ErrorBox>
      ) : null}
      <Button
        type="submit"
        variant="primary"
        size="large"
        icon={<Play aria-hidden />}
        busy={busy}
        disabled={replays && list.isPending}
      >
        {t('triggers.try_run')}
      </Button>
    </form>
  )
}

interface ChoicesProps {
  readonly deliveries: readonly Delivery[]
  readonly chosen: Delivery | null
  /** The id of a delivery; empty = the sample. */
  readonly onChoose: (id: string) => void
}

/** Its deliveries, the newest first, and below them the sample. */
function Choices({ deliveries, chosen, onChoose }: ChoicesProps) {
  const t = useT()
  return (
    <div className="try-choices" role="radiogroup" aria-label={t('triggers.try_what')}>
      {deliveries.map((delivery) => (
        <label key={delivery.id} className="try-choice" data-on={delivery.id === chosen?.id}>
          <input
            type="radio"
            name="delivery"
            checked={delivery.id === chosen?.id}
            onChange={() => onChoose(delivery.id)}
          />
          <span className="font-medium">{dateTime(delivery.at)}</span>
          <OutcomeWord delivery={delivery} />
        </label>
      ))}
      <label className="try-choice" data-on={chosen === null}>
        <input type="radio" name="delivery" checked={chosen === null} onChange={() => onChoose('')} />
        <span className="font-medium">{t('triggers.try_sample')}</span>
        <span className="text-xs text-muted">{t('triggers.try_sample_text')}</span>
      </label>
    </div>
  )
}

/** What came in with the chosen one. */
function Came({ delivery: { request, size } }: { readonly delivery: Delivery }) {
  const t = useT()
  return (
    <div className="grid min-w-0 grid-cols-1 gap-1">
      <h3 className="text-sm font-semibold">{t('triggers.request')}</h3>
      {request ? (
        <div className="well try-came">
          <JsonTree value={request} open={1} />
        </div>
      ) : (
        <p className="text-muted">
          {size === null ? t('triggers.request_none') : t('triggers.request_large', { size: bytes(size) })}
        </p>
      )}
    </div>
  )
}
