/** The package that a server is started from: the exact version, and a newer one that an admin may accept. */
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import type { Declaration, Server } from '@/api/servers'
import { useT } from '@/i18n'
import {
  useCheckDeclaredPackage,
  useCheckPackage,
  useUpdateDeclaredPackage,
  useUpdatePackage,
} from '@/registry/mutations'
import { Button, Callout, ErrorBox, RelativeTime, visible } from '@/ui'

type Held = NonNullable<Server['package']>

/** What is installed, and the way to look for a newer version. */
export function PackageSays({ server }: { readonly server: Server }) {
  const look = useCheckPackage(server.id)
  return server.package ? <HeldSays held={server.package} look={look} /> : null
}

/** The same of a server that a workflow declares. */
export function DeclaredPackageSays({ declaration }: { readonly declaration: Declaration }) {
  const look = useCheckDeclaredPackage(declaration.hash)
  return declaration.package ? <HeldSays held={declaration.package} look={look} /> : null
}

interface SaysProps {
  readonly held: Held
  readonly look: Pick<ReturnType<typeof useCheckPackage>, 'isPending' | 'isSuccess' | 'error'> & {
    readonly mutate: () => void
  }
}

function HeldSays({ held, look }: SaysProps) {
  const t = useT()
  const admin = useMay('admin')
  if (!held.managed) return <span className="text-muted">{t('registry.package_unmanaged')}</span>
  if (held.version === '') {
    return (
      <>
        <code className="font-mono text-xs">{visible(held.name)}</code>{' '}
        <span className="text-muted">{t('registry.package_not_yet')}</span>
      </>
    )
  }
  const digest = held.integrity.split(' ')[0] ?? ''
  return (
    <div className="grid justify-items-start gap-1">
      <span>
        <code className="font-mono text-xs break-all">
          {visible(held.name)} {visible(held.version)}
        </code>{' '}
        <span className="text-muted">
          <RelativeTime value={held.pinned_at ?? ''} />
        </span>
      </span>
      {digest ? (
        <code className="font-mono text-xs break-all text-muted" data-tip={held.integrity}>
          {digest.length > 30 ? `${digest.slice(0, 30)}…` : digest}
        </code>
      ) : null}
      {admin ? (
        <span className="flex flex-wrap items-center gap-2">
          <Button size="small" busy={look.isPending} onClick={() => look.mutate()}>
            {t('registry.package_look')}
          </Button>
          {look.isSuccess && held.offered === '' ? (
            <span role="status" className="text-xs text-muted">
              {t('registry.package_newest')}
            </span>
          ) : null}
        </span>
      ) : null}
      {look.error ? <ErrorBox error={asApiError(look.error)} /> : null}
    </div>
  )
}

/** That there is a newer version, and the button that accepts it. */
export function PackageOffered({ server }: { readonly server: Server }) {
  const update = useUpdatePackage(server.id)
  return server.package?.offered ? (
    <Offered held={server.package} update={update} hint="registry.package_update_hint" />
  ) : null
}

/** The same of a server that a workflow declares. */
export function DeclaredPackageOffered({ declaration }: { readonly declaration: Declaration }) {
  const update = useUpdateDeclaredPackage(declaration.hash)
  return declaration.package?.offered ? (
    <Offered held={declaration.package} update={update} hint="registry.package_update_hint_declared" />
  ) : null
}

interface OfferedProps {
  readonly hint: 'registry.package_update_hint' | 'registry.package_update_hint_declared'
  readonly held: Held
  readonly update: Pick<ReturnType<typeof useUpdatePackage>, 'isPending' | 'error'> & {
    readonly mutate: (version: string) => void
  }
}

function Offered({ held, update, hint }: OfferedProps) {
  const t = useT()
  const admin = useMay('admin')
  const version = visible(held.offered)
  return (
    <Callout tone="waiting">
      <div className="grid justify-items-start gap-1">
        <p className="font-semibold">
          {t('registry.package_offered', { version, before: visible(held.version) })}
        </p>
        <p className="text-sm text-muted">{t(hint)}</p>
        <div className="pt-1">
          <Button
            variant="primary"
            busy={update.isPending}
            blocked={admin ? undefined : t('registry.admins_only')}
            onClick={() => update.mutate(held.offered)}
          >
            {t('registry.package_update', { version })}
          </Button>
        </div>
        {update.error ? <ErrorBox error={asApiError(update.error)} /> : null}
      </div>
    </Callout>
  )
}
