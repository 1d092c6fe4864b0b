/** Toasts: for what cannot be said in place. They stay while pointed at, and are read aloud. */
import { CircleAlert, CircleCheck, Info, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { create } from 'zustand'
import { useT } from '@/i18n'
import { Button, IconButton } from '@/ui/controls/button'

export interface ToastContent {
  readonly title: string
  readonly text?: string | undefined
  /** By which the installation's log knows the request that failed. */
  readonly reference?: string | undefined
  readonly action?: { readonly label: string; readonly run: () => void } | undefined
}

interface Toast extends ToastContent {
  readonly id: number
  readonly tone: 'ok' | 'failed' | 'info'
}

const LIFE_MS = 6000
const useToasts = create<{ readonly toasts: readonly Toast[] }>(() => ({ toasts: [] }))
let last = 0

const show = (tone: Toast['tone'], content: ToastContent | string): number => {
  const id = ++last
  const toast = { id, tone, ...(typeof content === 'string' ? { title: content } : content) }
  useToasts.setState((state) => ({ toasts: [...state.toasts.slice(-3), toast] }))
  return id
}

/** Says something from anywhere; returns its id for `dismiss`. */
export const toast = {
  ok: (content: ToastContent | string) => show('ok', content),
  error: (content: ToastContent | string) => show('failed', content),
  info: (content: ToastContent | string) => show('info', content),
  dismiss: (id: number) =>
    useToasts.setState((state) => ({ toasts: state.toasts.filter((toast) => toast.id !== id) })),
}

const ICONS = { ok: CircleCheck, failed: CircleAlert, info: Info }

function ToastCard({ toast: shown }: { toast: Toast }) {
  const t = useT()
  const timer = useRef(0)
  const stay = () => window.clearTimeout(timer.current)
  const leave = () => {
    stay()
    timer.current = window.setTimeout(() => toast.dismiss(shown.id), LIFE_MS)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the countdown starts once, when the toast appears
  useEffect(() => {
    leave()
    return stay
  }, [])
  const Icon = ICONS[shown.tone]
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: resting on it only keeps it; everything to do is a button
    <div
      className="toast"
      role={shown.tone === 'failed' ? 'alert' : 'status'}
      onPointerEnter={stay}
      onPointerLeave={leave}
      onFocus={stay}
      onBlur={leave}
    >
      <Icon aria-hidden data-tone={shown.tone === 'info' ? 'accent' : shown.tone} />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{shown.title}</p>
        {shown.text ? <p className="text-sm text-muted">{shown.text}</p> : null}
        {shown.reference ? (
          <p className="text-xs text-muted">{t('common.request_id', { id: shown.reference })}</p>
        ) : null}
      </div>
      {shown.action ? (
        <Button
          size="small"
          onClick={() => {
            shown.action?.run()
            toast.dismiss(shown.id)
          }}
        >
          {shown.action.label}
        </Button>
      ) : null}
      <IconButton label={t('common.dismiss')} size="small" onClick={() => toast.dismiss(shown.id)}>
        <X />
      </IconButton>
    </div>
  )
}

/** Put once at the root of the page. */
export function Toasts() {
  const t = useT()
  const toasts = useToasts((state) => state.toasts)
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    // in front of everything, also of a dialog that was opened since
    box.current?.hidePopover?.()
    if (toasts.length > 0) box.current?.showPopover?.()
  }, [toasts])
  return (
    <section ref={box} popover="manual" className="toasts" aria-label={t('common.notifications')}>
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  )
}
