/** How long a wait waits: some seconds, or until a time. */
import { norm } from '@/forms'
import { useT } from '@/i18n'
import { Segmented } from '@/ui'
import { FieldFrame, TextEntry, useFieldErrors, useNodeForm, ValueEntry } from '../node-form'

const TIME = norm({ type: 'string' }, {})

export function WaitConfig() {
  const t = useT()
  const form = useNodeForm()
  const { config } = form.node
  const kind = config.until !== undefined && config.until !== null ? 'until' : 'seconds'
  const { until: _until, seconds: _seconds, ...others } = config
  const errors = useFieldErrors(['seconds'])
  return (
    <div className="inspector-stack">
      <FieldFrame label={t('inspector.wait_for')}>
        <span>
          <Segmented
            label={t('inspector.wait_for')}
            value={kind}
            disabled={form.disabled}
            options={[
              { value: 'seconds', label: t('inspector.wait_seconds') },
              { value: 'until', label: t('inspector.wait_until') },
            ]}
            onChange={(next) =>
              form.edit.config([], next === 'until' ? { ...others, until: '' } : { ...others, seconds: 60 })
            }
          />
        </span>
      </FieldFrame>
      {kind === 'seconds' ? (
        <FieldFrame label={t('inspector.seconds')} errors={errors}>
          <ValueEntry
            label={t('inspector.seconds')}
            value={config.seconds}
            onChange={(next) => form.edit.config(['seconds'], next)}
          />
        </FieldFrame>
      ) : (
        <TextEntry
          label={t('inspector.until')}
          path={['until']}
          value={config.until}
          hint={t('inspector.until_hint')}
          expected={TIME}
        />
      )}
    </div>
  )
}
