/** What can be done on every page, and the two dialogs that list all there is to do. */
import { Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import { signOut, useChangeMe } from '@/api/session'
import { useT } from '@/i18n'
import { openDocs } from '@/i18n/docs'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { type Action, TypedAhead, useActions } from '@/ui'

const CommandPalette = lazily(() =>
  fetchCode(() => import('./CommandPalette')).then((file) => ({ default: file.CommandPalette })),
)
const ShortcutHelp = lazily(() =>
  fetchCode(() => import('./ShortcutHelp')).then((file) => ({ default: file.ShortcutHelp })),
)

export function AppActions() {
  const t = useT()
  const [, navigate] = useLocation()
  const { mutate: prefer } = useChangeMe()
  const [shown, setShown] = useState<'palette' | 'help' | null>(null)
  const group = t('app.group_app')
  const navigationAction = (id: string, title: string, href: string): Action => ({
    id: `go.${id}`,
    title,
    group: t('app.go'),
    run: () => navigate(href),
  })
  useActions([
    {
      id: 'app.palette',
      title: t('app.palette'),
      group,
      keys: 'mod+k',
      whileTyping: true,
      hidden: true,
      run: () => setShown('palette'),
    },
    { id: 'app.help', title: t('app.shortcuts'), group, keys: '?', run: () => setShown('help') },
    { id: 'app.docs', title: t('app.docs'), group, run: () => openDocs('start') },
    navigationAction('workflows', t('app.go_workflows'), '/'),
    navigationAction('registry', t('app.go_registry'), '/registry'),
    navigationAction('runs', t('app.go_runs'), '/runs'),
    navigationAction('inbox', t('app.go_inbox'), '/inbox'),
    navigationAction('triggers', t('app.go_triggers'), '/triggers'),
    navigationAction('usage', t('app.go_usage'), '/usage'),
    navigationAction('settings', t('app.go_settings'), '/settings'),
    { id: 'theme.light', title: t('app.theme_light'), group, run: () => prefer({ theme: 'light' }) },
    { id: 'theme.dark', title: t('app.theme_dark'), group, run: () => prefer({ theme: 'dark' }) },
    { id: 'theme.system', title: t('app.theme_system'), group, run: () => prefer({ theme: 'system' }) },
    { id: 'language.en', title: t('app.language_en'), group, run: () => prefer({ language: 'en' }) },
    { id: 'language.zh', title: t('app.language_zh'), group, run: () => prefer({ language: 'zh' }) },
    { id: 'app.sign_out', title: t('app.sign_out'), group, run: () => void signOut() },
  ])
  const close = () => setShown(null)
  return (
    <>
      <Suspense
        fallback={
          <div className="pop command fixed inset-x-0 top-0 mx-auto">
            <TypedAhead label={t('app.palette_placeholder')} className="command-input" onClose={close} />
          </div>
        }
      >
        {shown === 'palette' ? <CommandPalette onClose={close} /> : null}
      </Suspense>
      <Suspense fallback={null}>{shown === 'help' ? <ShortcutHelp onClose={close} /> : null}</Suspense>
    </>
  )
}
