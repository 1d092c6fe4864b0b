/** Says that there is nothing to go through. */
import { useT } from '@/i18n'
import { EmptyState } from '@/ui'

export function NothingDiffers() {
  const t = useT()
  return <EmptyState title={t('versions.equal')} text={t('versions.equal_text')} />
}
