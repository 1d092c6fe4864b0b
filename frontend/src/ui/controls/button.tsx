/** Buttons. Every icon button has a name, which is its tooltip too. */
import { LoaderCircle } from 'lucide-react'
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { cx } from '@/ui/cx'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: 'plain' | 'primary' | 'quiet' | 'danger'
  readonly size?: 'small' | 'medium' | 'large'
  /** Shows that its work goes on and takes no further click. */
  readonly busy?: boolean
  /** Why it cannot be used: it stays focusable and its tooltip says so. */
  readonly blocked?: string | undefined
  /** Tooltip of a button with words. */
  readonly tip?: string | undefined
  /** A key combination for the tooltip, as in the action registry: `mod+enter`. */
  readonly keys?: string | undefined
  readonly icon?: ReactNode
  readonly ref?: Ref<HTMLButtonElement>
}

export function Button({
  variant = 'plain',
  size = 'medium',
  busy = false,
  blocked,
  tip,
  keys,
  icon,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const off = busy || blocked !== undefined
  return (
    <button
      type={type}
      className={cx(
        'btn',
        variant !== 'plain' && `btn-${variant}`,
        size !== 'medium' && `btn-${size}`,
        className,
      )}
      aria-disabled={off || undefined}
      aria-busy={busy || undefined}
      data-tip={blocked ?? tip}
      data-keys={keys}
      onClick={off ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {busy ? <LoaderCircle className="spin" aria-hidden /> : icon}
      {children}
    </button>
  )
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon' | 'tip'> {
  /** Its name: read aloud and shown as tooltip. */
  readonly label: string
  readonly children: ReactNode
}

export function IconButton({ label, className, children, busy, blocked, ...rest }: IconButtonProps) {
  return (
    <Button
      variant="quiet"
      {...rest}
      busy={busy ?? false}
      blocked={blocked}
      aria-label={label}
      tip={label}
      className={cx('btn-icon', className)}
      icon={children}
    />
  )
}
