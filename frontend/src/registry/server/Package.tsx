/** The package that a server is started from: the exact version, and a newer one that an admin may accept. */
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { useCheckPackage, useUpdatePackage } from '@/registry/mutations'
import { Button, Callout, ErrorBox, RelativeTime, visible } from '@/ui'

/** What is installed, and the way to look for a newer version. */
export function PackageSays({ server }: { readonly server: Server }) {
  const t = useT()
  const admin = useMay('admin')
  const look = useCheckPackage(server.id)
  const held = server.package
  if (!held) return null
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
  const t = useT()
  const admin = useMay('admin')
  const update = useUpdatePackage(server.id)
  const held = server.package
  if (!held?.offered) return null
  const version = visible(held.offered)
  return (
    <Callout tone="waiting">
      <div className="grid justify-items-start gap-1">
        <p className="font-semibold">
          {t('registry.package_offered', { version, before: visible(held.version) })}
        </p>
        <p className="text-sm text-muted">{t('registry.package_update_hint')}</p>
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
