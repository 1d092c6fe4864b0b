/** The values that an input offers to choose from, one per line. */
import { useT } from '@/i18n'
import { toText } from '@/inspector/values/value-text'
import { TextArea } from '@/ui'

export interface ChoicesProps {
  /** `enum` of the input's schema. */
  choices: readonly unknown[]
  disabled: boolean
  onChange: (choices: readonly unknown[]) => void
}

const lineOf = (choice: unknown): string => (typeof choice === 'string' ? choice : toText(choice))

/** What a line means: the choice that it was, else a text. */
function choiceIn(line: string, before: readonly unknown[]): unknown {
  const index = before.findIndex((choice) => lineOf(choice) === line)
  return index === -1 ? line : before[index]
}

export function Choices({ choices, disabled, onChange }: ChoicesProps) {
  const t = useT()
  return (
    <TextArea
      label={t('inspector.input_choices')}
      value={choices.map(lineOf).join('\n')}
      disabled={disabled}
      rows={3}
      onChange={(text) => onChange(text.split('\n').map((line) => choiceIn(line, choices)))}
      onBlur={() => {
        const kept = choices.filter((choice, index) => choice !== '' && choices.indexOf(choice) === index)
        if (kept.length < choices.length) onChange(kept)
      }}
    />
  )
}
