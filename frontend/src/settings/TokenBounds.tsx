/** What a token is bound to: workflows that it reaches, networks that it works from. */
import { useQuery } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { components } from '@/api/schema'
import { useT } from '@/i18n'
import { Checkbox, Chip, Field, Scroll, TextArea } from '@/ui'

type Token = components['schemas']['Token']
export interface Bounds {
  readonly workflows: readonly string[]
  readonly networks: string
}

export const UNBOUND: Bounds = { workflows: [], networks: '' }

/** The networks that were typed, one a line or with commas between. */
export const networksOf = (text: string): string[] => text.split(/[\s,;，；]+/).filter((part) => part !== '')

function useWorkflows() {
  return useQuery({
    queryKey: ['workflow', 'names'],
    queryFn: () => api.get('/api/workflows', { params: { query: { limit: 200 } } }),
  }).data?.results
}

/** Which workflows, from which addresses. Only a token that neither edits nor administers is bound to workflows. */
export function TokenBounds({
  value,
  onChange,
  writes,
  errors,
}: {
  value: Bounds
  onChange: (bounds: Bounds) => void
  writes: boolean
  errors: Readonly<Record<string, readonly string[]>> | undefined
}) {
  const t = useT()
  const workflows = useWorkflows()
  const chosen = value.workflows
  const wrong = Object.entries(errors ?? {})
    .filter(([name]) => name.startsWith('networks'))
    .flatMap(([, lines]) => lines)
  return (
    <>
      {workflows?.length ? (
        <Field
          label={t('people.token_workflows')}
          hint={t(writes ? 'people.token_workflows_not' : 'people.token_workflows_text')}
        >
          {() =>
            writes ? null : (
              <Scroll label={t('people.token_workflows')} className="max-h-40">
                <div className="grid gap-1.5">
                  {workflows.map(({ id, name }) => (
                    <Checkbox
                      key={id}
                      label={name}
                      checked={chosen.includes(id)}
                      onChange={(on) =>
                        onChange({
                          ...value,
                          workflows: on ? [...chosen, id] : chosen.filter((text) => text !== id),
                        })
                      }
                    />
                  ))}
                </div>
              </Scroll>
            )
          }
        </Field>
      ) : null}
      <TextArea
        label={t('people.token_networks')}
        hint={t('people.token_networks_text')}
        rows={2}
        value={value.networks}
        onChange={(networks) => onChange({ ...value, networks })}
        error={wrong.join(' ') || undefined}
      />
    </>
  )
}

/** The bounds of a token in the list. */
export function BoundChips({ token }: { token: Token }) {
  const t = useT()
  const workflows = useWorkflows()
  const named = token.workflows.map((id) => workflows?.find((workflow) => workflow.id === id)?.name ?? id)
  return (
    <>
      {named.length > 0 ? (
        <Chip tip={named.join(', ')}>{t('people.token_workflows_n', { n: named.length })}</Chip>
      ) : null}
      {token.networks.length > 0 ? (
        <Chip tip={token.networks.join(', ')}>
          {t('people.token_networks_n', { n: token.networks.length })}
        </Chip>
      ) : null}
    </>
  )
}
