/** Servers that stand inside documents and wait: an admin approves exactly this configuration, or refuses it. */
import { Hand } from 'lucide-react'
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { type Declaration, declaresAgent } from '@/api/servers'
import { sentenceGap, useT } from '@/i18n'
import { LateDeclaredAgent } from '@/registry/agents/late'
import { useDecideDeclaration } from '@/registry/mutations'
import { DeclaredPackageOffered, DeclaredPackageSays } from '@/registry/server/Package'
import { Button, Callout, CodeBlock, Dialog, ErrorBox, RelativeTime, visible } from '@/ui'

const isStdio = (config: unknown): boolean =>
  typeof config === 'object' && config !== null && (config as { transport?: unknown }).transport === 'stdio'

function One({ declaration }: { declaration: Declaration }) {
  const t = useT()
  const may = useMay('admin')
  const decide = useDecideDeclaration(declaration.hash)
  const blocked = may ? undefined : t('registry.admins_only')
  return (
    <li className="grid grid-cols-1 gap-2 border-b border-line pb-4 last:border-0 last:pb-0">
      <p className="flex items-center gap-2">
        <Hand size={16} strokeWidth={1.5} data-tone="person" aria-hidden />
        <b className="font-semibold break-words">{visible(declaration.name)}</b>
        <span className="ml-auto text-xs text-muted">
          <RelativeTime value={declaration.created_at} />
        </span>
      </p>
      <CodeBlock
        small
        copy={false}
        code={JSON.stringify(declaration.config, text, 2)}
        maxHeight={200}
        label={declaration.name}
      />
      {isStdio(declaration.config) ? (
        <Callout tone="waiting">
          <p className="text-sm">
            <b className="font-semibold">{t('registry.full_trust')}</b>
            {sentenceGap()}
            <span className="text-muted">{t('registry.full_trust_text')}</span>
          </p>
        </Callout>
      ) : null}
      {declaresAgent(declaration) ? (
        <p className="text-sm text-muted">{t('registry.declared_agent')}</p>
      ) : null}
      {decide.error ? <ErrorBox error={asApiError(decide.error)} /> : null}
      <div className="flex items-center gap-2">
        <p className="mr-auto text-xs text-muted">{t('registry.approval_scope')}</p>
        <Button
          blocked={blocked}
          busy={decide.isPending && decide.variables === 'reject'}
          onClick={() => decide.mutate('reject')}
        >
          {t('registry.reject')}
        </Button>
        <Button
          variant="primary"
          blocked={blocked}
          busy={decide.isPending && decide.variables === 'approve'}
          onClick={() => decide.mutate('approve')}
        >
          {t('registry.approve')}
        </Button>
      </div>
    </li>
  )
}

/** Leaves out what was not declared: empty texts, lists and objects, and null. */
const text = (_key: string, value: unknown): unknown => {
  const empty =
    value === null ||
    value === '' ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  return empty ? undefined : value
}

/** One that was approved: the version it is started from, and a newer one. */
function Packaged({ declaration }: { readonly declaration: Declaration }) {
  return (
    <li className="grid grid-cols-1 gap-2 border-b border-line pb-4 last:border-0 last:pb-0">
      <b className="font-semibold break-words">{visible(declaration.name)}</b>
      <DeclaredPackageOffered declaration={declaration} />
      <DeclaredPackageSays declaration={declaration} />
    </li>
  )
}

export function Declarations({
  waiting,
  approved,
  onClose,
}: {
  readonly waiting: readonly Declaration[]
  readonly approved: readonly Declaration[]
  readonly onClose: () => void
}) {
  const t = useT()
  const agents = approved.filter(declaresAgent)
  const packaged = approved.filter((row) => !declaresAgent(row))
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('registry.declarations')}>
      <p className="pb-3 text-sm text-muted">{t('registry.declarations_text')}</p>
      {waiting.length === 0 ? (
        <p>{t('registry.nothing_waits')}</p>
      ) : (
        <ul className="grid grid-cols-1 gap-4">
          {waiting.map((entry) => (
            <One key={entry.hash} declaration={entry} />
          ))}
        </ul>
      )}
      {packaged.length > 0 ? (
        <section className="grid grid-cols-1 gap-3 pt-5">
          <h3 className="text-sm font-semibold">{t('registry.declarations_approved')}</h3>
          <ul className="grid grid-cols-1 gap-4">
            {packaged.map((row) => (
              <Packaged key={row.hash} declaration={row} />
            ))}
          </ul>
        </section>
      ) : null}
      {agents.length > 0 ? (
        <section className="grid grid-cols-1 gap-3 pt-5">
          <h3 className="text-sm font-semibold">{t('registry.declared_agents')}</h3>
          <ul className="grid grid-cols-1 gap-4">
            {agents.map((row) => (
              <LateDeclaredAgent key={row.hash} declaration={row} />
            ))}
          </ul>
        </section>
      ) : null}
    </Dialog>
  )
}
