/** What says that a run is paused since a restore: a line in the dock, and a strip over the list of runs. */
import { History } from 'lucide-react'
import { restoredFrom, useRestoredCount } from '@/api/restored'
import { useT } from '@/i18n'
import { useRunInfo } from '@/live/run-store'
import { Button, dateTime } from '@/ui'
import { usePhone } from '@/ui/media'
import { askRestored } from './ask'

/** In the dock of a restored run: from which backup, and the way to what it may have written since. */
export function RestoredNote() {
  const t = useT()
  const info = useRunInfo()
  const small = usePhone()
  const from = info && !info.ended && info.paused ? restoredFrom(info) : null
  if (!info || from === null) return null
  return (
    <Button
      size="small"
      variant="quiet"
      icon={<History className="text-waiting" aria-hidden />}
      onClick={() => askRestored({ run: info.run })}
    >
      {small ? t('restored.note_short') : t('restored.note', { time: dateTime(from) })}
    </Button>
  )
}

/** Over the list of runs, while some are paused since a restore. */
export function RestoredStrip() {
  const t = useT()
  const { data: total } = useRestoredCount()
  if (!total) return null
  return (
    <div
      role="status"
      className="flex flex-none flex-wrap items-center gap-2 border-b border-line bg-well px-4 py-2"
    >
      <History size={16} className="flex-none text-waiting" aria-hidden />
      <p className="min-w-0 flex-1">{t('restored.strip', { n: total })}</p>
      <Button size="small" onClick={() => askRestored({ run: null })}>
        {t('restored.review')}
      </Button>
    </div>
  )
}
