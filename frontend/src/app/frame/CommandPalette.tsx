/** Everything there is to do, by typing a few letters of it; and the workflows by name. */
import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { useLocation } from 'wouter'
import { api } from '@/api/client'
import { useT } from '@/i18n'
import { type Action, Dialog, Keys, keysOf, textOf, useAllActions } from '@/ui'
import { type Group, grouped } from './grouped'

const offered = (action: Action) => !action.hidden && (action.when?.() ?? true)

function Groups({
  groups,
  after,
}: {
  readonly groups: readonly Group[]
  readonly after: (run: () => void) => () => void
}) {
  const t = useT()
  return groups.map((group) => (
    <Command.Group key={group.title} heading={group.title || t('app.group_page')}>
      {group.actions.map((action) => (
        <Command.Item
          key={action.id}
          value={`${textOf(action.title)} ${action.id}`}
          onSelect={after(action.run)}
          className="menu-item"
        >
          {textOf(action.title)}
          <span className="ml-auto flex gap-1.5">
            {keysOf(action)
              .slice(0, 1)
              .map((keys) => (
                <Keys key={keys} keys={keys} />
              ))}
          </span>
        </Command.Item>
      ))}
    </Command.Group>
  ))
}

export function CommandPalette({ onClose }: { onClose: () => void }) {
  const t = useT()
  const [, navigate] = useLocation()
  const groups = grouped(useAllActions(), offered)
  const always = new Set([t('app.go'), t('app.group_app')])
  const ofPage = groups.filter((group) => !always.has(group.title))
  const everywhere = groups.filter((group) => always.has(group.title)).reverse()
  const { data: workflows } = useQuery({
    queryKey: ['workflow', 'palette'],
    queryFn: () => api.get('/api/workflows', { params: { query: { limit: 200 } } }),
  })
  const after = (run: () => void) => () => {
    onClose()
    // once the dialog has given the focus back, so that what runs may move it
    window.setTimeout(run)
  }
  return (
    <Dialog
      open
      headless
      bare
      className="command"
      onOpenChange={(open) => open || onClose()}
      title={t('app.palette')}
    >
      <Command loop label={t('app.palette')}>
        <Command.Input autoFocus placeholder={t('app.palette_placeholder')} className="command-input" />
        <Command.List className="command-list">
          <Command.Empty className="px-4 py-6 text-muted">{t('app.palette_empty')}</Command.Empty>
          <Groups groups={ofPage} after={after} />
          {workflows?.results.length ? (
            <Command.Group heading={t('app.workflows')}>
              {workflows.results.map((workflow) => (
                <Command.Item
                  key={workflow.id}
                  value={`${workflow.name} ${workflow.id}`}
                  onSelect={after(() => navigate(`/workflows/${workflow.id}`))}
                  className="menu-item"
                >
                  {t('app.open_workflow', { name: workflow.name })}
                </Command.Item>
              ))}
            </Command.Group>
          ) : null}
          <Groups groups={everywhere} after={after} />
        </Command.List>
      </Command>
    </Dialog>
  )
}
