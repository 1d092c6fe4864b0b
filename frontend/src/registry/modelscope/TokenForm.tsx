/** Asking for a person's access token of ModelScope: it goes into one request and is forgotten with the form. */
import type { FormEvent } from 'react'
import type { ApiError } from '@/api/client'
import { fieldError, SecretField } from '@/forms'
import { useT } from '@/i18n'
import { Button, ErrorBox } from '@/ui'

export function TokenForm({
  token,
  onToken,
  does,
  busy,
  error,
  onSend,
}: {
  readonly token: string
  readonly onToken: (token: string) => void
  /** What the button does. */
  readonly does: string
  readonly busy: boolean
  readonly error: ApiError | null
  readonly onSend: (token: string) => void
}) {
  const t = useT()
  const refused = fieldError(error?.fields ?? {}, 'token')
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (token.trim() && !busy) onSend(token.trim())
  }
  return (
    <form className="grid grid-cols-1 justify-items-start gap-2" onSubmit={send}>
      <div className="w-full max-w-md">
        <SecretField
          label={t('modelscope.token')}
          hint={t('modelscope.token_hint')}
          required
          value={token}
          onChange={onToken}
          error={refused}
        />
      </div>
      <Button type="submit" busy={busy} disabled={!token.trim()}>
        {does}
      </Button>
      {error && !refused ? <ErrorBox error={error} /> : null}
    </form>
  )
}
