/** Dialogs: the browser's own modal ones, so focus stays in, Escape closes, and the page behind is inert. */
import { X } from 'lucide-react'
import { type PointerEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { useT } from '@/i18n'
import { Button, IconButton } from '@/ui/controls/button'
import { cx } from '@/ui/cx'

export interface DialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: ReactNode
  readonly size?: 'small' | 'medium' | 'wide'
  /** Between the title and the body, edge to edge: tabs. */
  readonly header?: ReactNode
  readonly footer?: ReactNode
  /** Without padding and scrolling of its own, for bodies that bring theirs. */
  readonly bare?: boolean
  /** Without a visible head; the title is only read aloud. */
  readonly headless?: boolean
  readonly className?: string
  readonly children: ReactNode
}

/** A dialog opens on its first field, not on its close button; without a field, or on a touch screen, on itself. */
function focusFirst(dialog: HTMLElement): void {
  const inside = dialog.querySelector<HTMLElement>(
    '[autofocus], input:not([type="radio"], :disabled), textarea, select',
  )
  const touch = window.matchMedia('(pointer: coarse)').matches
  ;(touch || !inside ? dialog : inside).focus({ preventScroll: true })
}

function Modal({
  onOpenChange,
  title,
  size = 'medium',
  header,
  footer,
  bare,
  headless,
  className,
  children,
}: DialogProps) {
  const t = useT()
  const id = useId()
  const box = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = box.current
    if (!dialog) return
    if (!dialog.open) dialog.showModal()
    focusFirst(dialog)
    // closing before it leaves the page gives the focus back to where it was
    return () => dialog.close()
  }, [])
  const close = () => onOpenChange(false)
  const pressed = (event: PointerEvent<HTMLDialogElement>) => {
    if (event.target !== event.currentTarget) return
    const { left, right, top, bottom } = event.currentTarget.getBoundingClientRect()
    const inside =
      event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom
    if (!inside) close()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is only kept from what lies behind; there is nothing to do by key
    <dialog
      ref={box}
      tabIndex={-1}
      aria-labelledby={id}
      className={cx('dialog', size !== 'medium' && `dialog-${size}`, className)}
      onPointerDown={pressed}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        close()
      }}
      // what is pressed here is not for the row or card whose button opened it
      onClick={(event) => event.stopPropagation()}
    >
      {headless ? (
        <h2 id={id} className="sr-only">
          {title}
        </h2>
      ) : (
        <div className="dialog-head">
          <h2 id={id} className="min-w-0 py-1 [overflow-wrap:anywhere] phone:py-2">
            {title}
          </h2>
          <IconButton label={t('common.close')} className="ml-auto" onClick={close}>
            <X />
          </IconButton>
        </div>
      )}
      {header}
      {bare ? children : <div className="dialog-body">{children}</div>}
      {footer ? <div className="dialog-foot">{footer}</div> : null}
    </dialog>
  )
}

/** A dialog; on a phone a full sheet. */
export function Dialog(props: DialogProps) {
  return props.open ? createPortal(<Modal {...props} />, document.body) : null
}

export interface ConfirmProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  readonly children: ReactNode
  /** What the button does, as a verb: "Delete server". */
  readonly action: string
  readonly onConfirm: () => void
  readonly danger?: boolean
  readonly busy?: boolean
  /** Something is still missing before it can be confirmed. */
  readonly disabled?: boolean
}

/** A question before something that cannot be taken back; on a phone it stands at the foot of the page. */
export function Confirm({
  open,
  onOpenChange,
  title,
  children,
  action,
  onConfirm,
  danger,
  busy,
  disabled,
}: ConfirmProps) {
  const t = useT()
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      size="small"
      className="dialog-question"
      footer={
        <>
          <Button size="large" onClick={() => onOpenChange(false)}>
            {t('common.cancel')}
          </Button>
          <Button
            size="large"
            variant={danger ? 'danger' : 'primary'}
            busy={busy ?? false}
            disabled={disabled}
            onClick={onConfirm}
          >
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}
