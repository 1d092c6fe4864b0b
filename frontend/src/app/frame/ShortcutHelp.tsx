/** All keys there are on this page. */
import { useT } from '@/i18n'
import { Dialog, Keys, keysOf, textOf, useAllActions } from '@/ui'
import { grouped } from './grouped'

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const t = useT()
  const groups = grouped(useAllActions(), (action) => keysOf(action).length > 0)
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('app.shortcuts')} size="wide">
      <p className="pb-4 text-sm text-muted">{t('app.shortcuts_hint')}</p>
      <div className="columns-2 gap-8 phone:columns-1">
        {groups.map((group) => (
          <section key={group.title} className="pb-4">
            <h3 className="section-title break-after-avoid pb-1">{group.title || t('app.group_page')}</h3>
            <dl>
              {group.actions.map((action) => (
                <div
                  key={action.id}
                  className="flex break-inside-avoid flex-wrap items-center justify-between gap-x-3 border-b border-line py-1"
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
