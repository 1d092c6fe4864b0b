/** Which page stands at which address. Every page is a chunk of its own. */
import { type ComponentType, lazy, Suspense } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { loadRest, useT } from '@/i18n'
import { Boundary, Button, EmptyState, PageBar, Skeleton } from '@/ui'

type PageFile = Promise<{ default: ComponentType }>

/** A page with sentences of its own, which come with it. */
const withWords = (load: () => PageFile) =>
  lazy(async () => {
    const [file] = await Promise.all([load(), loadRest()])
    return file
  })

const WorkflowsPage = withWords(() => import('@/workflows/WorkflowsPage'))
// the editor's first picture needs no other words than the frame has
const EditorPage = lazy(() => import('./editor/EditorPage'))
const RunPage = withWords(() => import('./editor/RunPage'))
const RegistryPage = withWords(() => import('@/registry/RegistryPage'))
const RunsPage = withWords(() => import('@/runs/RunsPage'))
const InboxPage = withWords(() => import('@/inbox/InboxPage'))
const UsagePage = withWords(() => import('@/usage/UsagePage'))
const SettingsPage = withWords(() => import('@/settings/SettingsPage'))

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
  const [at] = useLocation()
  return (
    <Boundary resetKey={at}>
      <Suspense fallback={<Skeleton rows={8} />}>
        <Switch>
          <Route path="/" component={WorkflowsPage} />
          <Route path="/workflows" component={WorkflowsPage} />
          <Route path="/workflows/:id" component={EditorPage} />
          <Route path="/registry/:server?/:tab?" component={RegistryPage} />
          <Route path="/runs" component={RunsPage} />
          <Route path="/runs/:id" component={RunPage} />
          <Route path="/inbox/:id?" component={InboxPage} />
          <Route path="/usage" component={UsagePage} />
          <Route path="/settings/:section?/:item?" component={SettingsPage} />
          <Route component={NothingHere} />
        </Switch>
      </Suspense>
    </Boundary>
  )
}
