/** Which page stands at which address. Every page is a chunk of its own. */
import { type ComponentType, lazy, Suspense } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { useT } from '@/i18n'
import { Boundary, Button, EmptyState, PageBar, Skeleton } from '@/ui'

const files = import.meta.glob<{ default: ComponentType }>([
  '../workflows/WorkflowsPage.tsx',
  './editor/EditorPage.tsx',
  '../registry/RegistryPage.tsx',
  '../runs/RunsPage.tsx',
  './editor/RunPage.tsx',
  '../runs/RunPage.tsx',
  '../inbox/InboxPage.tsx',
  '../settings/SettingsPage.tsx',
])

const page = (...names: readonly string[]): ComponentType => {
  const load = names.map((name) => files[name]).find(Boolean)
  return load ? lazy(load) : NothingHere
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

const WorkflowsPage = page('../workflows/WorkflowsPage.tsx')
const EditorPage = page('./editor/EditorPage.tsx')
const RegistryPage = page('../registry/RegistryPage.tsx')
const RunsPage = page('../runs/RunsPage.tsx')
const RunPage = page('./editor/RunPage.tsx', '../runs/RunPage.tsx')
const InboxPage = page('../inbox/InboxPage.tsx')
const SettingsPage = page('../settings/SettingsPage.tsx')

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
          <Route path="/settings/:section?" component={SettingsPage} />
          <Route component={NothingHere} />
        </Switch>
      </Suspense>
    </Boundary>
  )
}
