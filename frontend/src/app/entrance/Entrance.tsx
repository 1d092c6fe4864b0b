/** The frame of the pages before the sign-in: a narrow column with the logo, and the language at its foot. */

import { type ReactNode, useEffect } from 'react'
import { type Language, useLanguage, useT } from '@/i18n'
import { chooseLanguage, Segmented } from '@/ui'
import { Logo } from './Logo'

export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  const t = useT()
  const language = useLanguage()
  useEffect(() => {
    document.title = `${title} · Patchbay`
  }, [title])
  return (
    <main className="h-dvh overflow-auto">
      <div className="mx-auto grid w-full max-w-80 gap-4 px-4 pt-[14vh] pb-8 phone:pt-12">
        <div className="flex items-center gap-3">
          <Logo size={22} />
          <h1>{title}</h1>
        </div>
        {children}
        <Segmented<Language>
          small
          label={t('app.language')}
          value={language}
          onChange={(next) => void chooseLanguage(next)}
          options={[
            { value: 'en', label: t('app.language_en') },
            { value: 'zh', label: t('app.language_zh') },
          ]}
        />
      </div>
    </main>
  )
}
