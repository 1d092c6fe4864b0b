/** The question for one's password before something that a stranger at an open screen must not do. */
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { asApiError } from '@/api/client'
import { useT } from '@/i18n'
import { Button, Dialog, ErrorBox, PasswordField } from '@/ui'

export function Proof<Answer>({
  title,
  text,
  action,
  danger,
  asks,
  does,
  onDone,
  onClose,
}: {
  readonly title: string
  readonly text?: ReactNode
  readonly action: string
  readonly danger?: boolean
  /** Whether the password is asked for at all. */
  readonly asks: boolean
  readonly does: (password: string) => Promise<Answer>
  readonly onDone: (answer: Answer) => void
  readonly onClose: () => void
}) {
  const t = useT()
  const [password, setPassword] = useState('')
  const confirmation = useMutation({ mutationFn: () => does(password), onSuccess: onDone })
  const error = confirmation.error ? asApiError(confirmation.error) : null
  const wrong = error?.status === 403
  const submit = (event: FormEvent) => {
    event.preventDefault()
    confirmation.mutate()
  }
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={title} size="small">
      <form className="grid gap-4" onSubmit={submit}>
        {text ? <p>{text}</p> : null}
        {asks ? (
          <PasswordField
            label={t('people.password_old')}
            autoComplete="current-password"
            autoFocus
            value={password}
            onChange={setPassword}
            error={wrong ? t('people.password_wrong') : undefined}
          />
        ) : (
          <p className="text-sm text-muted">{t('people.by_link')}</p>
        )}
        {error && !wrong ? <ErrorBox error={error} /> : null}
        <Button
          type="submit"
          variant={danger ? 'danger' : 'primary'}
          size="large"
          busy={confirmation.isPending}
          disabled={asks && !password}
        >
          {action}
        </Button>
      </form>
    </Dialog>
  )
}
