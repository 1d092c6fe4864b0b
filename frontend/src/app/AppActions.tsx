/** What can be done on every page, and the two dialogs that list all there is to do. */
import { lazy, Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '@/api/client'
import { meQuery, queryClient } from '@/api/queries'
import { type Language, useT } from '@/i18n'
import { type Action, useActions } from '@/ui'
import { chooseLanguage } from './language'
import { signOut } from './session'
import { applyTheme, type Theme } from './theme'

const CommandPalette = lazy(() =>
  import('./CommandPalette').then((file) => ({ default: file.CommandPalette })),
)
const ShortcutHelp = lazy(() => import('./ShortcutHelp').then((file) => ({ default: file.ShortcutHelp })))

/** Changes how the page looks or speaks at once, and keeps it with the account. */
async function prefer(changes: { theme?: Theme; language?: Language }) {
  if (changes.theme) applyTheme(changes.theme)
  if (changes.language) await chooseLanguage(changes.language)
  queryClient.setQueryData(meQuery.queryKey, await api.patch('/api/me', { body: changes }))
}

export function AppActions() {
  const t = useT()
  const [, navigate] = useLocation()
  const [shown, setShown] = useState<'palette' | 'help' | null>(null)
  const group = t('app.group_app')
  const go = (id: string, title: string, href: string): Action => ({
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
    go('workflows', t('app.go_workflows'), '/'),
    go('registry', t('app.go_registry'), '/registry'),
    go('runs', t('app.go_runs'), '/runs'),
    go('inbox', t('app.go_inbox'), '/inbox'),
    go('settings', t('app.go_settings'), '/settings'),
    { id: 'theme.light', title: t('app.theme_light'), group, run: () => void prefer({ theme: 'light' }) },
    { id: 'theme.dark', title: t('app.theme_dark'), group, run: () => void prefer({ theme: 'dark' }) },
    { id: 'theme.system', title: t('app.theme_system'), group, run: () => void prefer({ theme: 'system' }) },
    { id: 'language.en', title: t('app.language_en'), group, run: () => void prefer({ language: 'en' }) },
    { id: 'language.zh', title: t('app.language_zh'), group, run: () => void prefer({ language: 'zh' }) },
    { id: 'app.sign_out', title: t('app.sign_out'), group, run: () => void signOut() },
  ])
  const close = () => setShown(null)
  return (
    <Suspense fallback={null}>
      {shown === 'palette' ? <CommandPalette onClose={close} /> : null}
      {shown === 'help' ? <ShortcutHelp onClose={close} /> : null}
    </Suspense>
  )
}
