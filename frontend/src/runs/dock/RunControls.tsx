/** Stop, pause and go on: what a run that has not ended takes. Says within the moment that it heard. */

import { Pause, Play, Square } from 'lucide-react'
import { useEffect, useState } from 'react'
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { restoredFrom } from '@/api/restored'
import { useRunControl } from '@/api/runs'
import { useT } from '@/i18n'
import { useRunInfo } from '@/live/run-store'
import { askRestored } from '@/runs/restored/ask'
import { Button, toast, useActions } from '@/ui'
import { usePhone } from '@/ui/media'

export function RunControls() {
  const info = useRunInfo()
  if (!info?.going || info.failure) return null
  const restored = info.paused && restoredFrom(info) !== null
  return <Controls key={info.run} run={info.run} paused={info.paused} restored={restored} />
}

interface ControlsProps {
  readonly run: string
  readonly paused: boolean
  /** Paused since a restore: what it may have written since is shown before it goes on. */
  readonly restored: boolean
}

function Controls({ run, paused, restored }: ControlsProps) {
  const t = useT()
  const may = useMay('editor')
  const small = usePhone()
  const control = useRunControl(run)
  const [confirming, setConfirming] = useState<'cancel' | 'pause' | 'resume' | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a pause is over when the run says that it pauses, or goes on
  useEffect(() => {
    setConfirming((before) => (before === 'cancel' ? before : null))
  }, [paused])
  const ask = (what: 'cancel' | 'pause' | 'resume') => {
    if (what === 'resume' && restored) {
      askRestored({ run })
      return
    }
    setConfirming(what)
    control.mutate(what, {
      onError: (thrown) => {
        setConfirming(null)
        const error = asApiError(thrown)
        toast.error({
          title: t('runs.control_failed', { why: error.message }),
          text: error.hint,
          reference: error.reference,
        })
      },
    })
  }
  useActions([
    {
      id: 'runs.stop',
      title: t('runs.stop'),
      group: t('runs.title'),
      keys: '.',
      run: () => ask('cancel'),
      when: () => may && confirming !== 'cancel',
    },
    {
      id: 'runs.pause',
      title: paused ? t('runs.resume') : t('runs.pause'),
      group: t('runs.title'),
      run: () => ask(paused ? 'resume' : 'pause'),
      when: () => may && confirming === null,
    },
  ])
  const blocked = may ? undefined : t('runs.blocked_viewer')
  return (
    <>
      <span className={paused ? undefined : 'phone:hidden'}>
        <Button
          icon={paused ? <Play aria-hidden /> : <Pause aria-hidden />}
          busy={confirming === 'pause' || confirming === 'resume'}
          blocked={blocked}
          onClick={() => ask(paused ? 'resume' : 'pause')}
        >
          {paused ? t('runs.resume') : t('runs.pause')}
        </Button>
      </span>
      <Button
        variant="danger"
        size={small ? 'medium' : 'large'}
        icon={<Square aria-hidden />}
        busy={confirming === 'cancel'}
        blocked={blocked}
        keys="."
        onClick={() => ask('cancel')}
      >
        {confirming === 'cancel' ? t('runs.stopping') : t('runs.stop')}
      </Button>
    </>
  )
}
