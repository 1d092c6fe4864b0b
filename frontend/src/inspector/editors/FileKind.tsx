/** Which files an input takes: any, those that models read, or what the schema says by itself. */
import { KINDS } from '@/files/accept'
import { useT } from '@/i18n'
import { Select } from '@/ui'

export interface FileKindProps {
  /** `x-accept` of the input's schema. */
  accept: string
  disabled: boolean
  onChange: (accept: string | undefined) => void
}

export function FileKind({ accept, disabled, onChange }: FileKindProps) {
  const t = useT()
  const known = accept === '' || Object.values<string>(KINDS).includes(accept)
  return (
    <Select
      label={t('inspector.file_kind')}
      value={accept}
      disabled={disabled}
      options={[
        { value: '', label: t('inspector.file_any') },
        { value: KINDS.images, label: t('inspector.file_images') },
        { value: KINDS.texts, label: t('inspector.file_texts') },
        ...(known ? [] : [{ value: accept, label: accept }]),
      ]}
      onChange={(next) => onChange(next === '' ? undefined : next)}
    />
  )
}
