/** Which page stands at which address. Every page is a chunk of its own. */
import { type ComponentType, lazy, Suspense, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { loadRest, useT } from '@/i18n'
import { Boundary, Button, EmptyState, PageBar, Skeleton } from '@/ui'

type PageFile = Promise<{ default: ComponentType }>

/** A page that is fetched when it is shown, or before. */
class Page {
  readonly Lazy: ComponentType
  /** What was fetched, once it is there. */
  come: ComponentType | null = null
  readonly #fetch: () => PageFile
  #file: PageFile | null = null

  constructor(fetchPage: () => PageFile) {
    this.#fetch = fetchPage
    this.Lazy = lazy(this.load)
  }

  /** Fetch it; what failed is fetched anew by the next one who asks. */
  readonly load = (): PageFile => {
    this.#file ??= this.#fetch().then(
      (file) => {
        this.come = file.default
        return file
      },
      (error) => {
        this.#file = null
        throw error
      },
    )
    return this.#file
  }
}

/** Shows a page that has come at once: React leaves the place of a `lazy` one empty first, and then for 300 ms more. */
function Shown({ page }: { readonly page: Page }) {
  // kept while it stands: another component would lose what was typed into this one
  const [Chosen] = useState(() => page.come ?? page.Lazy)
  return <Chosen />
}

/** A page with sentences of its own, which come with it. */
const withWords = (load: () => PageFile) =>
  new Page(async () => {
    const [file] = await Promise.all([load(), loadRest()])
    return file
  })

const workflows = withWords(() => import('@/workflows/WorkflowsPage'))
// the editor's first picture needs no other words than the frame has
const editor = new Page(() => import('./editor/EditorPage'))
const run = withWords(() => import('./editor/RunPage'))

const PAGES: readonly (readonly [address: string, page: Page])[] = [
  ['/', workflows],
  ['/workflows', workflows],
  ['/workflows/:id', editor],
  ['/registry/:server?/:tab?', withWords(() => import('@/registry/RegistryPage'))],
  ['/runs', withWords(() => import('@/runs/RunsPage'))],
  ['/runs/:id', run],
  ['/inbox/:id?', withWords(() => import('@/inbox/InboxPage'))],
  ['/usage', withWords(() => import('@/usage/UsagePage'))],
  ['/settings/:section?/:item?', withWords(() => import('@/settings/SettingsPage'))],
]

/** Whether an address is one of `pattern`, whose parts after a colon are any, and with a question mark may be missing. */
function fits(pattern: string, address: string): boolean {
  const [parts, given] = [pattern, address].map((path) => path.split('/').filter(Boolean)) as [
    string[],
    string[],
  ]
  return (
    given.length <= parts.length &&
    parts.every((part, index) =>
      given[index] === undefined ? part.endsWith('?') : part[0] === ':' || part === given[index],
    )
  )
}

/** Resolves when the code of the page at an address is there. */
export async function loadedPage(address: string): Promise<void> {
  await PAGES.find(([pattern]) => fits(pattern, address))?.[1].load()
}

/** Fetches the code of the page at an address before it is shown, so that it stands at once. */
export function preloadPage(address: string): void {
  loadedPage(address).catch(() => {}) // asked for again, and reported, when it is shown
}

function NothingHere() {
  const t = useT()
  const [, navigate] = useLocation()
  return (
    <>
      <PageBar title={t('app.not_found')} />
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
          {PAGES.map(([address, page]) => (
            <Route key={address} path={address}>
              <Shown page={page} />
            </Route>
          ))}
          <Route component={NothingHere} />
        </Switch>
      </Suspense>
    </Boundary>
  )
}
