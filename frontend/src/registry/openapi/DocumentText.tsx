/** A document that is pasted, or read from a file of this computer. */
import { FileUp } from 'lucide-react'
import { useT } from '@/i18n'
import { TextArea } from '@/ui'

export function DocumentText({
  label,
  hint,
  value,
  onChange,
  error,
}: {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly error: string | undefined
}) {
  const t = useT()
  return (
    <div className="grid grid-cols-1 gap-2">
      <TextArea
        label={label}
        mono
        rows={6}
        spellCheck={false}
        value={value}
        onChange={onChange}
        hint={hint}
        error={error}
      />
      <label className="btn w-fit">
        <FileUp aria-hidden />
        {t('openapi.choose_file')}
        <input
          type="file"
          className="sr-only"
          accept=".json,.yaml,.yml,application/json,application/yaml"
          onChange={async (event) => {
            const file = event.target.files?.[0]
            if (file) onChange(await file.text())
          }}
        />
      </label>
    </div>
  )
}
