/** One server: what it is, whether it answers and what it can do, who uses it, how it is configured. */
import { useIsMutating } from '@tanstack/react-query'
import { ChevronLeft, Ellipsis, Power, RefreshCw, Trash2, X } from 'lucide-react'
import { Suspense, useState } from 'react'
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import type { Server } from '@/api/servers'
import { UserCredentials } from '@/forms'
import { useT } from '@/i18n'
import { LateContents } from '@/registry/contents/late'
import { LateGrants } from '@/registry/grants/late'
import { useListedKind } from '@/registry/kind'
import { shortTargetOf, targetOf } from '@/registry/list/health'
import { ServerIcon } from '@/registry/list/ServerIcon'
import {
  useChangeServer,
  useDeleteServer,
  useRefreshTools,
  useTest,
  useUserCredentials,
} from '@/registry/mutations'
import { LateSignIn } from '@/registry/sign-in/late'
import { ToolList, useRequestedTool } from '@/registry/tools/ToolList'
import { type Tried, TryTool } from '@/registry/tools/TryTool'
import {
  Button,
  Callout,
  Confirm,
  ErrorBox,
  IconButton,
  Menu,
  Skeleton,
  useNarrow,
  usePhone,
  visible,
} from '@/ui'
import { Affected } from './Affected'
import { Connection } from './Connection'
import { Overview, UsedBy } from './Overview'
import { PackageOffered } from './Package'
import { ProgramWaits } from './Programs'
import { ServerSettings } from './ServerSettings'
import { SidePanel, Sides } from './Sides'

export const TABS = ['overview', 'tools', 'contents', 'used', 'settings', 'try'] as const
export type Tab = (typeof TABS)[number]

function signedIn(server: Server): string {
  if (server.auth_type === 'none') return ''
  if (server.auth_type === 'oauth') return ' · OAuth'
  const what = server.auth_type === 'api_key' ? server.api_key_header : server.auth_type
  return ` · ${what} ${server.api_key_hint}`.trimEnd()
}

function Delete({
  server,
  onClose,
  onDeleted,
}: {
  server: Server
  onClose: () => void
  onDeleted: () => void
}) {
  const t = useT()
  const kind = useListedKind()
  const remove = useDeleteServer(server.id)
  return (
    <Confirm
      open
      danger
      onOpenChange={(open) => open || onClose()}
      title={t('registry.delete_title', { name: server.name })}
      action={t(kind.remove)}
      busy={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onDeleted })}
    >
      <p>{t('registry.delete_text')}</p>
      <Affected server={server} />
      {remove.error ? <ErrorBox error={asApiError(remove.error)} /> : null}
    </Confirm>
  )
}

/** One's own credentials, where each member uses their own; whatever the role, above the configuration. */
function Own({ server }: { server: Server }) {
  const t = useT()
  const credentials = useUserCredentials(server.id)
  if (!server.own_credentials || server.own_credentials.slots.length === 0) return null
  return (
    <UserCredentials
      own={server.own_credentials}
      name={server.name}
      keyLabel={server.auth_type === 'bearer' ? t('registry.token') : t('registry.key')}
      {...credentials}
    />
  )
}

/** That one's own credentials are missing, and the way to where they are entered. */
function OwnMissing({ server, onEnter }: { server: Server; onEnter: () => void }) {
  const t = useT()
  const may = useMay('editor')
  if (server.own_credentials?.state !== 'missing') return null
  return (
    <Callout tone="waiting">
      <div className="grid gap-1">
        <p className="font-semibold">{t('registry.own_missing_title')}</p>
        <p className="text-sm text-muted">{t('registry.own_missing_text')}</p>
        <div className="pt-1">
          <Button variant="primary" blocked={may ? undefined : t('registry.editors_only')} onClick={onEnter}>
            {t('registry.own_enter')}
          </Button>
        </div>
      </div>
    </Callout>
  )
}

function ConnectionAndTools({
  server,
  onOverview,
  onSettings,
  onTry,
}: {
  readonly server: Server
  readonly onOverview: () => void
  readonly onSettings: () => void
  readonly onTry: (tool: string) => void
}) {
  const t = useT()
  const may = useMay('editor')
  const admin = useMay('admin')
  const { report, stages, test } = useTest(server.id)
  const going = useIsMutating({ mutationKey: ['test', server.id] }) > 0
  const refresh = useRefreshTools(server.id)
  const kind = useListedKind()
  const requested = useRequestedTool()
  return (
    <div className="grid grid-cols-1 content-start gap-4">
      <ProgramWaits server={server} />
      <PackageOffered server={server} />
      <OwnMissing server={server} onEnter={onSettings} />
      {server.auth_type === 'oauth' ? (
        <Suspense fallback={null}>
          <LateSignIn server={server} brief />
        </Suspense>
      ) : null}
      <Connection
        server={server}
        report={report}
        stages={stages}
        going={going}
        error={test.error}
        onTest={() => test.mutate()}
        onSettings={admin ? onSettings : undefined}
        onCredentials={
          server.auth_type === 'oauth' ? onOverview : admin || server.own_credentials ? onSettings : undefined
        }
      />
      {refresh.error ? <ErrorBox error={asApiError(refresh.error)} /> : null}
      <ToolList
        key={requested}
        server={server}
        requested={requested}
        onTry={onTry}
        actions={
          may ? (
            <IconButton label={t(kind.refresh)} busy={refresh.isPending} onClick={() => refresh.mutate()}>
              <RefreshCw />
            </IconButton>
          ) : null
        }
      />
    </div>
  )
}

/** Tests the connection; on a phone an icon, the name needs the room. */
function TestButton({ server, onTest }: { readonly server: Server; readonly onTest: () => void }) {
  const t = useT()
  const phone = usePhone()
  const { report, test } = useTest(server.id)
  const going = useIsMutating({ mutationKey: ['test', server.id] }) > 0
  const label = report || server.status.checked_at ? t('registry.test_again') : t('registry.test')
  const missing = server.own_credentials?.state === 'missing' ? t('registry.own_missing_title') : undefined
  const shared = {
    busy: going,
    blocked: server.enabled ? missing : t('registry.is_disabled'),
    onClick: () => {
      onTest()
      test.mutate()
    },
  }
  return phone ? (
    <IconButton label={label} variant="plain" {...shared}>
      <RefreshCw />
    </IconButton>
  ) : (
    <Button icon={<RefreshCw />} {...shared}>
      {label}
    </Button>
  )
}

interface HeadProps {
  readonly server: Server
  /** The place where a test is seen. */
  readonly onTest: () => void
  readonly onDelete: () => void
  readonly onClose: () => void
}

/** Its name and address, the test, and what an admin does to the whole of it. */
function Head({ server, onTest, onDelete, onClose }: HeadProps) {
  const t = useT()
  const phone = usePhone()
  const below = useNarrow() && !phone
  // on a phone it is the page, beside the list a part of it
  const Heading = phone ? 'h1' : 'h2'
  const admin = useMay('admin')
  const editor = useMay('editor')
  const change = useChangeServer(server.id)
  const kind = useListedKind()
  return (
    <>
      <header className="flex h-13 flex-none items-center gap-2 pr-3 pl-4 phone:pl-2">
        {phone ? (
          <IconButton label={t('common.back')} onClick={onClose}>
            <ChevronLeft />
          </IconButton>
        ) : (
          <span className="tile">
            <ServerIcon slug={server.slug} transport={server.transport} />
          </span>
        )}
        <div className="min-w-0 flex-1">
          <Heading className="truncate text-lg font-semibold">{visible(server.name)}</Heading>
          <p className="truncate font-mono text-xs text-muted" data-tip={targetOf(server)}>
            {server.transport} · {shortTargetOf(server)}
            {signedIn(server)}
          </p>
        </div>
        {editor ? <TestButton server={server} onTest={onTest} /> : null}
        {admin ? (
          <Menu
            trigger={
              <IconButton label={t('common.more')} variant="plain">
                <Ellipsis />
              </IconButton>
            }
            items={[
              {
                label: server.enabled ? t('registry.disable') : t('registry.enable'),
                icon: <Power />,
                onSelect: () => change.mutate({ enabled: !server.enabled }),
              },
              { kind: 'separator' },
              {
                label: t(kind.remove),
                icon: <Trash2 />,
                danger: true,
                onSelect: onDelete,
              },
            ]}
          />
        ) : null}
        {below ? (
          <IconButton label={t('common.close')} onClick={onClose}>
            <X />
          </IconButton>
        ) : null}
      </header>
      {change.error ? (
        <div className="p-4 pb-0">
          <ErrorBox error={asApiError(change.error)} />
        </div>
      ) : null}
    </>
  )
}

export interface ServerDetailProps {
  readonly server: Server
  readonly servers: readonly Server[]
  readonly tab: Tab
  readonly onTab: (tab: Tab) => void
  readonly tried: Tried | null
  readonly onTried: (tried: Tried) => void
  /** Back to the list; on a phone the way out. */
  readonly onClose: () => void
}

export function ServerDetail({ server, servers, tab, onTab, tried, onTried, onClose }: ServerDetailProps) {
  const t = useT()
  const phone = usePhone()
  const [deleting, setDeleting] = useState(false)
  const tryTool = (tool: string) => {
    onTried({ server: server.slug, tool })
    if (phone) onTab('try')
  }
  const kind = useListedKind()
  const bare = server.transport === 'openapi' || server.transport === 'a2a' // has tools alone
  const nowhere = (tab === 'try' && !phone) || (tab === 'contents' && bare)
  const shown = nowhere ? 'tools' : tab
  return (
    <section className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface" aria-label={server.name}>
      <Head
        server={server}
        onTest={() => onTab('tools')}
        onDelete={() => setDeleting(true)}
        onClose={onClose}
      />
      <Sides<Tab>
        label={server.name}
        value={shown}
        onChange={onTab}
        items={[
          { value: 'overview', label: t('registry.overview') },
          { value: 'tools', label: t(kind.tab) },
          ...(bare ? [] : [{ value: 'contents' as const, label: t('registry.contents') }]),
          ...(phone ? [{ value: 'try' as const, label: t(kind.trial) }] : []),
          { value: 'used', label: t('registry.used_by'), count: server.workflows },
          { value: 'settings', label: t('registry.settings') },
        ]}
      />
      <SidePanel
        value={shown}
        className={
          shown === 'try' ? 'flex min-h-0 flex-1 flex-col overflow-auto' : 'min-h-0 flex-1 overflow-auto p-4'
        }
      >
        {shown === 'overview' ? <Overview server={server} /> : null}
        {shown === 'tools' ? (
          <ConnectionAndTools
            server={server}
            onOverview={() => onTab('overview')}
            onSettings={() => onTab('settings')}
            onTry={tryTool}
          />
        ) : null}
        {shown === 'contents' ? (
          <Suspense fallback={<Skeleton rows={4} />}>
            <LateContents key={server.id} server={server} />
          </Suspense>
        ) : null}
        {shown === 'used' ? (
          <div className="grid grid-cols-1 content-start gap-6">
            <UsedBy server={server} />
            <Suspense fallback={null}>
              <LateGrants key={server.id} server={server} />
            </Suspense>
          </div>
        ) : null}
        {shown === 'settings' ? (
          <div className="grid grid-cols-1 content-start gap-4">
            <Own server={server} />
            <ServerSettings server={server} />
          </div>
        ) : null}
        {shown === 'try' ? (
          <TryTool servers={servers} tried={tried} fallback={server.slug} onTried={onTried} />
        ) : null}
      </SidePanel>
      {deleting ? (
        <Delete
          server={server}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            setDeleting(false)
            onClose()
          }}
        />
      ) : null}
    </section>
  )
}
