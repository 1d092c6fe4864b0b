/** What a request carries: nothing, JSON, a form, parts, a text or a file. */
import { isRecord } from '@/forms'
import { type Key, useT } from '@/i18n'
import { NamedRows } from '@/inspector/editors/Rows'
import { FieldFrame, TextEntry, useFieldErrors, useNodeForm, ValueEntry } from '@/inspector/node-form'
import { Segmented } from '@/ui'

const TYPES = ['none', 'json', 'form', 'multipart', 'text', 'file'] as const
type BodyType = (typeof TYPES)[number]

/** What a body of another type begins with: rows stay rows, anything else starts anew. */
function begun(next: BodyType, before: unknown): unknown {
  if (next === 'none') return undefined
  if (next === 'form' || next === 'multipart') return isRecord(before) ? before : {}
  if (next === 'json') return isRecord(before) ? before : {}
  return typeof before === 'string' ? before : ''
}

export function Body() {
  const t = useT()
  const form = useNodeForm()
  const { body, body_type: bodyType, ...others } = form.node.config
  const none = bodyType === undefined && (body === undefined || body === null)
  const type = none ? 'none' : (TYPES.find((each) => each === bodyType) ?? 'json')
  const set = (next: BodyType) => {
    const value = begun(next, body)
    form.edit.config([], value === undefined ? others : { ...others, body_type: next, body: value })
  }
  return (
    <>
      <FieldFrame label={t('http.body')} errors={useFieldErrors(['body_type'])}>
        <span>
          <Segmented
            small
            label={t('http.body')}
            value={type}
            disabled={form.disabled}
            options={TYPES.map((value) => ({
              value,
              label: t(`http.body_${value}` as Key as 'http.body_none'),
            }))}
            onChange={set}
          />
        </span>
      </FieldFrame>
      {type === 'none' ? null : <Content type={type} />}
    </>
  )
}

function Content({ type }: { type: Exclude<BodyType, 'none'> }) {
  const t = useT()
  const form = useNodeForm()
  const { body } = form.node.config
  const label = t('http.body_value')
  const errors = useFieldErrors(['body'])
  if (type === 'text') return <TextEntry multiline label={label} path={['body']} value={body ?? ''} />
  const rows = (type === 'form' || type === 'multipart') && typeof body !== 'string'
  const hint =
    type === 'file' ? t('http.body_file_hint') : type === 'multipart' ? t('http.part_hint') : undefined
  return (
    <FieldFrame label={label} errors={errors} hint={hint}>
      {rows ? (
        <NamedRows
          value={isRecord(body) ? body : {}}
          disabled={form.disabled}
          add={t(type === 'form' ? 'http.add_field' : 'http.add_part')}
          base="name"
          onChange={(next, place) => form.edit.config(['body'], next, [place])}
        />
      ) : (
        <ValueEntry
          label={label}
          value={body ?? undefined}
          invalid={errors.length > 0}
          multiline={type === 'json'}
          onChange={(next) => form.edit.config(['body'], next ?? '')}
        />
      )}
    </FieldFrame>
  )
}
