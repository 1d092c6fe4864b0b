/** Oneself: name, language, theme, and how much of one's runs may go on without asking. */
import { type FormEvent, useState } from 'react'
import { asApiError } from '@/api/client'
import { type Me, useMe } from '@/api/queries'
import { type MeChange, useChangeMe } from '@/api/session'
import { type Language, useT } from '@/i18n'
import { Button, ErrorBox, Field, Segmented, Switch, TextField } from '@/ui'
import { YourTeams } from './YourTeams'

export function Profile() {
  const t = useT()
  const me = useMe()
  const change = useChangeMe()
  const [name, setName] = useState(me.name)
  const set = (changes: MeChange) => change.mutate(changes)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    set({ name: name.trim() })
  }
  return (
    <div className="grid max-w-100 gap-4">
      <TextField label={t('app.email')} value={me.email} readOnly onChange={() => {}} />
      <form className="flex items-end gap-2" onSubmit={submit}>
        <TextField
          className="flex-1"
          label={t('app.your_name')}
          autoComplete="name"
          value={name}
          onChange={setName}
        />
        <Button
          type="submit"
          disabled={name.trim() === me.name}
          busy={change.isPending && change.variables.name !== undefined}
        >
          {t('common.save')}
        </Button>
      </form>
      <Field label={t('app.language')}>
        {() => (
          <div>
            <Segmented<Language>
              label={t('app.language')}
              value={me.language}
              onChange={(language) => set({ language })}
              options={[
                { value: 'en', label: t('app.language_en') },
                { value: 'zh', label: t('app.language_zh') },
              ]}
            />
          </div>
        )}
      </Field>
      <Field label={t('app.theme')}>
        {() => (
          <div>
            <Segmented<Me['theme']>
              label={t('app.theme')}
              value={me.theme}
              onChange={(theme) => set({ theme })}
              options={[
                { value: 'system', label: t('settings.theme_system') },
                { value: 'light', label: t('settings.theme_light') },
                { value: 'dark', label: t('settings.theme_dark') },
              ]}
            />
          </div>
        )}
      </Field>
      <Switch
        label={t('settings.auto_execute')}
        hint={t('settings.auto_execute_hint')}
        checked={me.auto_execute}
        onChange={(auto_execute) => set({ auto_execute })}
      />
      {change.error ? <ErrorBox error={asApiError(change.error)} /> : null}
      <YourTeams />
    </div>
  )
}
