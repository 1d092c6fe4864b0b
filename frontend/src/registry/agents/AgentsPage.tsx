/** The team's external agents: the registry's page, with a list, an add dialog and words of their own. */
import { type Listed, ListedKind } from '@/registry/kind'
import RegistryPage from '@/registry/RegistryPage'
import { AddAgent } from './AddAgent'

const AGENT: Listed = {
  kind: 'agent',
  Add: AddAgent,
  add: 'agents.list_add',
  find: 'agents.list_find',
  one: 'agents.list_one',
  all: 'agents.list_all',
  tools: 'agents.list_skills',
  loadFailed: 'agents.list_load_failed',
  noneHere: 'agents.list_none_here',
  noneFits: 'agents.list_none_fits',
  emptyTitle: 'agents.list_empty_title',
  emptyText: 'agents.list_empty_text',
  tab: 'agents.list_tab',
  refresh: 'agents.list_refresh',
  remove: 'agents.list_delete',
  trial: 'agents.list_try',
}

export default function AgentsPage() {
  return (
    <ListedKind value={AGENT}>
      <RegistryPage />
    </ListedKind>
  )
}
