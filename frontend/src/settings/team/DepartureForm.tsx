/** Before somebody leaves or is removed: what becomes of what they have here, and the one thing to decide. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asApiError } from '@/api/client'
import { type Translate, useT } from '@/i18n'
import { Confirm, ErrorBox, Field, Segmented, Skeleton } from '@/ui'

export type PrivateItems = 'delete' | 'hand_over'

interface Belongings {
  readonly tokens: number
  readonly servers: number
  readonly providers: number
  readonly running: number
}

const sentences = (t: Translate, has: Belongings): readonly string[] => [
  t('people.goes_pages'),
  ...(has.tokens ? [t('people.goes_tokens', { n: has.tokens })] : []),
  ...(has.running ? [t('people.goes_running', { n: has.running })] : []),
  t('people.goes_workflows'),
]

export function DepartureForm({
  member,
  title,
  text,
  action,
  go: onConfirm,
  onGone: onDeparted,
  onClose,
}: {
  /** Whose membership ends; null = one's own. */
  readonly member: string | null
  readonly title: string
  readonly text?: string
  readonly action: string
  readonly go: (of: PrivateItems) => Promise<unknown>
  readonly onGone: () => void
  readonly onClose: () => void
}) {
  const t = useT()
  const [choice, setChoice] = useState<PrivateItems>('delete')
  const { data: has, error } = useQuery({
    queryKey: ['member', 'belongings', member],
    queryFn: () =>
      member === null
        ? api.get('/api/teams/current/belongings')
        : api.get('/api/teams/members/{key}/belongings', { params: { path: { key: member } } }),
    staleTime: 0,
  })
  const departure = useMutation({ mutationFn: () => onConfirm(choice), onSuccess: onDeparted })
  const failed = departure.error ?? error
  const alone = has && has.servers + has.providers > 0
  return (
    <Confirm
      open
      danger
      onOpenChange={(open) => open || onClose()}
      title={title}
      action={action}
      busy={departure.isPending}
      onConfirm={() => has && departure.mutate()}
    >
      <div className="grid gap-3">
        {text ? <p>{text}</p> : null}
        {has ? (
          <ul className="grid list-disc gap-1 pl-4">
            {sentences(t, has).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        ) : error ? null : (
          <Skeleton rows={3} row={20} />
        )}
        {alone ? (
          <Field label={t('people.goes_private', { servers: has.servers, providers: has.providers })}>
            {() => (
              <div>
                <Segmented<PrivateItems>
                  label={t('people.goes_private_label')}
                  value={choice}
                  onChange={setChoice}
                  options={[
                    { value: 'delete', label: t('people.private_delete') },
                    { value: 'hand_over', label: t('people.private_hand_over') },
                  ]}
                />
              </div>
            )}
          </Field>
        ) : null}
        {failed ? <ErrorBox error={asApiError(failed)} /> : null}
      </div>
    </Confirm>
  )
}
