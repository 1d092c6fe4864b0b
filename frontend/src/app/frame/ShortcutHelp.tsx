/** All keys there are on this page. */
import { Fragment } from 'react'
import { useT } from '@/i18n'
import { Dialog, Keys, keysOf, textOf, useAllActions } from '@/ui'
import { grouped } from './grouped'

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const t = useT()
  const groups = grouped(useAllActions(), (action) => keysOf(action).length > 0)
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('app.shortcuts')} size="wide">
      <p className="pb-2 text-sm text-muted">{t('app.shortcuts_hint')}</p>
      <div className="columns-2 gap-8 phone:columns-1">
        {groups.map((group) => (
          <section key={group.title} className="break-inside-avoid-column pb-4">
            <h3 className="section-title pb-1">{group.title || t('app.group_page')}</h3>
            <dl className="grid grid-cols-[minmax(0,1fr)_auto] items-center">
              {group.actions.map((action) => (
                <Fragment key={action.id}>
                  <dt className="truncate border-b border-line py-1">{textOf(action.title)}</dt>
                  <dd className="flex h-full items-center justify-end gap-1.5 border-b border-line py-1">
                    {keysOf(action).map((keys) => (
                      <Keys key={keys} keys={keys} />
                    ))}
                  </dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
