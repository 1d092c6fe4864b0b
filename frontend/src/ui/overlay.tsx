/** What floats: dialogs, popovers, menus. Radix keeps focus, Escape and the screen reader right. */
import { X } from 'lucide-react'
import {
  DropdownMenu,
  ContextMenu as RadixContext,
  Dialog as RadixDialog,
  Popover as RadixPopover,
} from 'radix-ui'
import type { ReactNode } from 'react'
import { useT } from '@/i18n'
import { Button, IconButton } from './button'
import { cx } from './cx'
import { Keys } from './kbd'

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
  readonly children: ReactNode
}

/** A dialog; on a phone a full sheet. */
export function Dialog({
  open,
  onOpenChange,
  title,
  size = 'medium',
  header,
  footer,
  bare,
  children,
}: DialogProps) {
  const t = useT()
  return (
    <RadixDialog.Root open={open} onOpenChange={onOpenChange}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="scrim" />
        <RadixDialog.Content
          className={cx('dialog', size === 'small' && 'dialog-small', size === 'wide' && 'dialog-wide')}
          aria-describedby={undefined}
          onOpenAutoFocus={focusFirstField}
        >
          <div className="dialog-head">
            <RadixDialog.Title className="min-w-0 truncate">{title}</RadixDialog.Title>
            <RadixDialog.Close asChild>
              <IconButton label={t('common.close')} className="ml-auto">
                <X />
              </IconButton>
            </RadixDialog.Close>
          </div>
          {header}
          {bare ? children : <div className="dialog-body">{children}</div>}
          {footer ? <div className="dialog-foot">{footer}</div> : null}
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  )
}

/** A dialog opens on its first field, not on its close button; without a field, or on a touch screen, on itself. */
function focusFirstField(event: Event) {
  const dialog = event.currentTarget
  if (!(dialog instanceof HTMLElement)) return
  event.preventDefault()
  const touch = window.matchMedia('(pointer: coarse)').matches
  const field = dialog.querySelector<HTMLElement>('input:not([type="radio"], :disabled), textarea, select')
  ;(touch || !field ? dialog : field).focus({ preventScroll: true })
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
}

/** A question before something that cannot be taken back. */
export function Confirm({
  open,
  onOpenChange,
  title,
  children,
  action,
  onConfirm,
  danger,
  busy,
}: ConfirmProps) {
  const t = useT()
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      size="small"
      footer={
        <>
          <Button size="large" onClick={() => onOpenChange(false)}>
            {t('common.cancel')}
          </Button>
          <Button
            size="large"
            variant={danger ? 'danger' : 'primary'}
            busy={busy ?? false}
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

export interface PopoverProps {
  /** One element that takes a ref: a Button. */
  readonly trigger: ReactNode
  readonly open?: boolean
  readonly onOpenChange?: (open: boolean) => void
  readonly side?: 'top' | 'right' | 'bottom' | 'left'
  readonly align?: 'start' | 'center' | 'end'
  readonly label?: string
  readonly className?: string
  readonly children: ReactNode
}

export function Popover({
  trigger,
  open,
  onOpenChange,
  side = 'bottom',
  align = 'start',
  label,
  className,
  children,
}: PopoverProps) {
  return (
    <RadixPopover.Root {...(open !== undefined ? { open } : {})} {...(onOpenChange ? { onOpenChange } : {})}>
      <RadixPopover.Trigger asChild>{trigger}</RadixPopover.Trigger>
      <RadixPopover.Portal>
        <RadixPopover.Content
          className={cx('pop', className)}
          side={side}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
        >
          {children}
        </RadixPopover.Content>
      </RadixPopover.Portal>
    </RadixPopover.Root>
  )
}

export type MenuEntry =
  | {
      readonly kind?: 'item'
      readonly label: string
      readonly icon?: ReactNode
      readonly keys?: string
      readonly danger?: boolean
      readonly disabled?: boolean
      readonly onSelect: () => void
    }
  | { readonly kind: 'separator' }
  | { readonly kind: 'label'; readonly label: string }

function entries(items: readonly MenuEntry[], Parts: typeof DropdownMenu | typeof RadixContext): ReactNode {
  const { Item, Separator, Label } = Parts
  return items.map((item, index) => {
    const key = item.kind === 'separator' ? `separator-${index}` : item.label
    if (item.kind === 'separator') return <Separator key={key} className="menu-separator" />
    if (item.kind === 'label')
      return (
        <Label key={key} className="menu-label">
          {item.label}
        </Label>
      )
    return (
      <Item
        key={key}
        className="menu-item"
        disabled={item.disabled ?? false}
        data-danger={item.danger ?? false}
        onSelect={item.onSelect}
      >
        {item.icon}
        {item.label}
        {item.keys ? (
          <span className="ml-auto pl-4">
            <Keys keys={item.keys} />
          </span>
        ) : null}
      </Item>
    )
  })
}

/** A menu under a button. */
export function Menu({
  trigger,
  items,
  align = 'end',
}: {
  readonly trigger: ReactNode
  readonly items: readonly MenuEntry[]
  readonly align?: 'start' | 'end'
}) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="pop menu" align={align} sideOffset={4} collisionPadding={8}>
          {entries(items, DropdownMenu)}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

/** The menu of the right mouse button over `children` (one element that takes a ref). */
export function ContextMenu({
  items,
  children,
}: {
  readonly items: readonly MenuEntry[]
  readonly children: ReactNode
}) {
  return (
    <RadixContext.Root>
      <RadixContext.Trigger asChild>{children}</RadixContext.Trigger>
      <RadixContext.Portal>
        <RadixContext.Content className="pop menu" collisionPadding={8}>
          {entries(items, RadixContext)}
        </RadixContext.Content>
      </RadixContext.Portal>
    </RadixContext.Root>
  )
}
