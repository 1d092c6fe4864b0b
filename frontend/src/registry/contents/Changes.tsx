/** What changed in a list of what a server offers since it was accepted: shown, and accepted one by one or at once. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { asApiError } from '@/api/client'
import { acceptContents, type ContentChange } from '@/api/contents'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { Button, Callout, Chip, Diff, ErrorBox, visible } from '@/ui'

type Kind = ContentChange['kind']

export function Changes(props: {
  readonly server: Server
  readonly kind: Kind
  readonly changes: readonly ContentChange[] | undefined
}) {
  const { server, kind, changes = [] } = props
  const t = useT()
  const accept = useAccept(server, kind)
  const of = changes.filter((change) => change.kind === kind)
  if (of.length === 0) return null
  const title = t('contents.changes', { n: of.length })
  return (
    <section aria-label={title}>
      <Callout tone="waiting">
        <div className="flex flex-wrap items-center gap-2">
          <p className="mr-auto font-semibold">{title}</p>
          <Button size="small" busy={accept.busy(undefined)} onClick={() => accept.begin(undefined)}>
            {t('contents.accept_all')}
          </Button>
        </div>
        <p className="text-sm text-muted">{t('contents.changes_hint')}</p>
        {accept.error ? <ErrorBox error={asApiError(accept.error)} /> : null}
        <ul className="grid max-h-80 grid-cols-1 gap-2 overflow-auto" style={{ marginTop: 8 }}>
          {of.map((change) => (
            <Shown
              key={change.name}
              change={change}
              busy={accept.busy(change.name)}
              onAccept={() => accept.begin(change.name)}
            />
          ))}
        </ul>
      </Callout>
    </section>
  )
}

/** A word for what happened to something since it was accepted. */
export function ChangeChip({ change }: { readonly change: string | null }) {
  const t = useT()
  if (change === 'added') return <Chip tone="waiting">{t('contents.added')}</Chip>
  if (change === 'changed') return <Chip tone="waiting">{t('contents.changed')}</Chip>
  return change === 'gone' ? <Chip tone="idle">{t('contents.gone')}</Chip> : null
}

function Shown(props: {
  readonly change: ContentChange
  readonly busy: boolean
  readonly onAccept: () => void
}) {
  const { change, busy, onAccept } = props
  const t = useT()
  const name = visible(change.name)
  return (
    <li className="grid min-w-0 grid-cols-1 gap-1">
      <div className="flex flex-wrap items-center gap-2">
        <ChangeChip change={change.change} />
        <span className="min-w-0 flex-1 font-mono text-xs break-all">{name}</span>
        <Button size="small" aria-label={t('contents.accept_one', { name })} busy={busy} onClick={onAccept}>
          {t('contents.accept')}
        </Button>
      </div>
      <Diff before={text(change.before)} after={text(change.now)} around={1} />
    </li>
  )
}

/** A definition as lines to compare: what the server left out is no line. */
const text = (definition: unknown): string =>
  definition === null || definition === undefined
    ? ''
    : JSON.stringify(definition, (_, value) => (value === null ? undefined : value), 2)

function useAccept(server: Server, kind: Kind) {
  const client = useQueryClient()
  const { mutate, isPending, variables, error } = useMutation({
    mutationFn: (name: string | undefined) => acceptContents(server.id, kind, name),
    onSettled: () => client.invalidateQueries({ queryKey: ['server', server.id] }),
  })
  return {
    error,
    busy: (name: string | undefined) => isPending && variables === name,
    begin: (name: string | undefined) => mutate(name),
  }
}
