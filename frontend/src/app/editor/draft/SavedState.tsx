/** What is saved, told truthfully. */
import { useEffect } from 'react'
import { useStore } from 'zustand'
import { useT } from '@/i18n'
import { clock, cx } from '@/ui'
import type { DraftSaver } from './drafts'

const timeOf = (index: number): string => clock(new Date(index).toISOString())

export function SavedState({ saver }: { saver: DraftSaver }) {
  const t = useT()
  const save = useStore(saver.state, (state) => state.save)
  const revision = useStore(saver.state, (state) => state.revision)
  const text = () => {
    switch (save.kind) {
      case 'saved':
        return save.at === null
          ? ''
          : t('editor.saved_at', { time: timeOf(save.at), revision: String(revision) })
      case 'unsaved':
        return t('editor.unsaved')
      case 'saving':
        return t('editor.saving')
      case 'offline':
        return t('editor.save_offline')
      case 'conflict':
        return t('editor.save_conflict')
      case 'failed':
        return t('editor.save_failed', { message: save.message })
    }
  }
  const bad = save.kind === 'failed' || save.kind === 'conflict'
  return (
    <span
      // a narrow bar has room for what went wrong only; all else is still read aloud
      className={cx('truncate text-xs tabular-nums', !bad && save.kind !== 'offline' && 'small:sr-only')}
      data-testid="saved-state"
      data-state={save.kind}
      data-tone={bad ? 'failed' : save.kind === 'offline' ? 'waiting' : undefined}
      data-tip={save.kind === 'offline' ? t('editor.save_offline_tip') : undefined}
      aria-live="polite"
    >
      {text()}
    </span>
  )
}

/** Keeps unsaved work through reloads, asks before it would be lost, and tries again when the network is back. */
export function useDraftGuards(saver: DraftSaver | null): void {
  useEffect(() => {
    if (!saver) return
    const hide = () => saver.keep()
    const leave = (event: BeforeUnloadEvent) => {
      if (saver.unsafe) event.preventDefault()
    }
    const online = () => saver.retry()
    window.addEventListener('pagehide', hide)
    window.addEventListener('beforeunload', leave)
    window.addEventListener('online', online)
    return () => {
      window.removeEventListener('pagehide', hide)
      window.removeEventListener('beforeunload', leave)
      window.removeEventListener('online', online)
    }
  }, [saver])
}
