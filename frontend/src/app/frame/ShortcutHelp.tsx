/** All keys there are on this page. */
import { useT } from '@/i18n'
import { Dialog, Keys, keysOf, textOf, useAllActions } from '@/ui'
import { grouped } from './grouped'

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const t = useT()
  // the longest last: no group is broken, and the columns come out alike
  const groups = grouped(useAllActions(), (action) => keysOf(action).length > 0).sort(
    (one, other) => one.actions.length - other.actions.length,
  )
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('app.shortcuts')} size="wide">
      <p className="pb-4 text-sm text-muted">{t('app.shortcuts_hint')}</p>
      <div className="columns-2 gap-8 phone:columns-1">
        {groups.map((group) => (
          <section key={group.title} className="break-inside-avoid pb-4">
            <h3 className="section-title pb-1">{group.title || t('app.group_page')}</h3>
            <dl>
              {group.actions.map((action) => (
                <div
                  key={action.id}
                  className="flex flex-wrap items-center justify-between gap-x-3 border-b border-line py-1"
                >
                  <dt>{textOf(action.title)}</dt>
                  <dd className="ml-auto flex flex-wrap justify-end gap-1.5">
                    {keysOf(action).map((keys) => (
                      <Keys key={keys} keys={keys} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
