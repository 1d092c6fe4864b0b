/** The settings of a chat. */
import { useT } from '@/i18n'
import { TextArea } from '@/ui'
import type { FormPart } from './fields'

export function ChatFields({ draft, change, errorOf }: FormPart) {
  const t = useT()
  return (
    <TextArea
      label={t('triggers.greeting')}
      hint={t('triggers.greeting_hint')}
      value={draft.greeting}
      onChange={(greeting) => change({ greeting })}
      error={errorOf('config.greeting')}
    />
  )
}
