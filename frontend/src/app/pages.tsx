/** Which page stands at which address. Every page is a chunk of its own. */
import { type ComponentType, Suspense } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { meQuery, queryClient } from '@/api/queries'
import { runQuery } from '@/api/runs'
import { currentLanguage, loadRest, loadWords, useT } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { type Late, lazily } from '@/loading/lazily'
import { Boundary, Button, EmptyState, PageBar, Skeleton } from '@/ui'

type PageFile = Promise<{ default: ComponentType }>

/** A page with sentences of its own, which come with it. */
const withWords = (load: () => PageFile) =>
  lazily(async () => {
    const [file] = await Promise.all([load(), loadRest()])
    return file
  })

const home = withWords(() => fetchCode(() => import('./start/HomePage')))
const workflows = withWords(() => fetchCode(() => import('@/workflows/WorkflowsPage')))
// the editor's first picture needs no other words than the frame has
const editor = lazily(() => fetchCode(() => import('./editor/EditorPage')))
const run = withWords(() => fetchCode(() => import('./editor/RunPage')))

const chat = withWords(async () => {
  const [file] = await Promise.all([fetchCode(() => import('@/chat/ChatPage')), loadWords('chat')])
  return file
})

const triggerPage = (load: () => PageFile) =>
  withWords(async () => {
    const [file] = await Promise.all([load(), loadWords('triggers')])
    return file
  })

const share = withWords(async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('@/share/SharePage')),
    loadWords('share', 'agent', 'agui', 'triggers'),
  ])
  return file
})

const collections = withWords(async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('@/collections/CollectionsPage')),
    loadWords('collections', 'share'),
  ])
  return file
})

const agents = withWords(async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('@/registry/agents/AgentsPage')),
    loadWords('agents', 'openapi'),
  ])
  return file
})

const PAGES: readonly (readonly [address: string, Page: Late<object>])[] = [
  ['/', home],
  ['/workflows', workflows],
  ['/workflows/:id', editor],
  ['/workflows/:id/share/:door?', share],
  ['/registry/:server?/:tab?', withWords(() => fetchCode(() => import('@/registry/RegistryPage')))],
  ['/collections/:id?', collections],
  ['/agents/:server?/:tab?', agents],
  ['/runs', withWords(() => fetchCode(() => import('@/runs/RunsPage')))],
  ['/runs/:id', run],
  ['/inbox/:id?', withWords(() => fetchCode(() => import('@/inbox/InboxPage')))],
  ['/chat/:trigger/:conversation?', chat],
  ['/triggers/:id?', triggerPage(() => fetchCode(() => import('@/triggers/TriggersPage')))],
  ['/usage', withWords(() => fetchCode(() => import('@/usage/UsagePage')))],
  ['/settings/:section?/:item?', withWords(() => fetchCode(() => import('@/settings/SettingsPage')))],
]

/** Whether an address is one of `pattern`, whose parts after a colon are any, and with a question mark may be missing. */
function fits(pattern: string, address: string): boolean {
  const [parts, segments] = [pattern, address].map((path) => path.split('/').filter(Boolean)) as [
    string[],
    string[],
  ]
  return (
    segments.length <= parts.length &&
    parts.every((part, index) =>
      segments[index] === undefined ? part.endsWith('?') : part[0] === ':' || part === segments[index],
    )
  )
}

/** Fetches the code of the page at an address before it is shown, so that it stands at once. */
export function preloadPage(address: string): void {
  const page = PAGES.find(([pattern]) => fits(pattern, address))?.[1]
  page?.load().catch(() => {}) // asked for again, and reported, when it is shown
}

/**
 * Asks for what the page at an address shows first, while its code comes: of a run its row, and its log once it is known
 * that somebody is signed in, who reads the language that is spoken.
 */
export async function askAhead(address: string): Promise<void> {
  if (!PAGES.some(([pattern]) => fits(pattern, address))) return
  const me = queryClient.ensureQueryData(meQuery)
  const id = address.match(/^\/runs\/([^/]+)\/?$/)?.[1]
  if (id === undefined) return
  void queryClient.prefetchQuery(runQuery(id))
  const live = fetchCode(() => import('@/live/page-socket'))
  const [person, socket] = await Promise.all([me, live, live.then(({ runs }) => runs.load())])
  if (person?.language === currentLanguage()) await socket.readAhead(id)
}

function NothingHere() {
  const t = useT()
  const [, navigate] = useLocation()
  return (
    <>
      <PageBar title={t('app.not_found_title')} />
      <EmptyState
        title={t('app.not_found')}
        text={t('app.not_found_hint')}
        actions={
          <Button variant="primary" onClick={() => navigate('/')}>
            {t('app.to_workflows')}
          </Button>
        }
      />
    </>
  )
}

export function Pages() {
  const [time] = useLocation()
  return (
    <Boundary resetKey={time}>
      <Suspense fallback={<Skeleton rows={8} />}>
        <Switch>
          {PAGES.map(([address, Page]) => (
            <Route key={address} path={address}>
              <Page />
            </Route>
          ))}
          <Route component={NothingHere} />
        </Switch>
      </Suspense>
    </Boundary>
  )
}
