/** The end of a form that changes a configuration: whether something is unsaved, back to what was, save. */
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
import { Button } from '@/ui'

interface SaveFootProps {
  readonly dirty: boolean
  readonly saved: boolean
  readonly busy: boolean
  readonly onRevert: () => void
}

export function SaveFoot({ dirty, saved, busy, onRevert }: SaveFootProps) {
  const t = useT()
  const may = useMay('admin')
  const unchanged = dirty ? undefined : t('forms.nothing_changed')
  return (
    <div className="flex items-center gap-2 border-t border-line pt-3">
      <p className="mr-auto text-xs text-muted" role="status">
        {dirty ? t('forms.unsaved') : saved ? t('forms.saved') : ''}
      </p>
      <Button disabled={!dirty} onClick={onRevert}>
        {t('forms.revert')}
      </Button>
      <Button type="submit" variant="primary" busy={busy} blocked={may ? unchanged : t('forms.admins_only')}>
        {t('common.save')}
      </Button>
    </div>
  )
}
