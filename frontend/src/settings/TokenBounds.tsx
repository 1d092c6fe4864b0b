/** What a token is bound to: workflows that it reaches, networks that it works from. */
import { useWorkflowNames, useWorkflowSearch } from '@/api/choices'
import type { components } from '@/api/schema'
import { listOf, sentencesOf, useT } from '@/i18n'
import { Checkbox, Chip, Field, More, Scroll, TextArea, TextField } from '@/ui'

type Token = components['schemas']['Token']
export interface Bounds {
  readonly workflows: readonly string[]
  readonly networks: string
}

export const UNBOUND: Bounds = { workflows: [], networks: '' }

/** The networks that were typed, one a line or with commas between. */
export const networksOf = (text: string): string[] => text.split(/[\s,;，；]+/).filter((part) => part !== '')

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
  const results = useWorkflowSearch(true)
  const chosen = value.workflows
  const names = useWorkflowNames(chosen)
  // What is chosen stays in sight, whatever is looked for.
  const rows = results.rows.filter(({ id }) => !chosen.includes(id))
  const listed = [
    ...chosen.map((id) => [id, names.get(id) ?? id] as const),
    ...rows.map(({ id, name }) => [id, name] as const),
  ]
  const wrong = Object.entries(errors ?? {})
    .filter(([name]) => name.startsWith('networks'))
    .flatMap(([, lines]) => lines)
  return (
    <>
      {results.rows.length > 0 || results.search !== '' ? (
        <Field
          label={t('people.token_workflows')}
          hint={t(writes ? 'people.token_workflows_not' : 'people.token_workflows_text')}
        >
          {() =>
            writes ? null : (
              <div className="grid gap-2">
                {results.long ? (
                  <TextField
                    inputType="search"
                    aria-label={t('workflows.search')}
                    placeholder={t('workflows.search')}
                    value={results.search}
                    onChange={results.onSearch}
                  />
                ) : null}
                <Scroll
                  label={t('people.token_workflows')}
                  className="max-h-40 rounded-md border border-line px-3 py-2 phone:py-0"
                >
                  <div className="grid gap-1.5 phone:gap-0">
                    {listed.map(([id, name]) => (
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
                    {listed.length === 0 && !results.busy ? (
                      <p className="text-sm text-muted">{t('common.no_match')}</p>
                    ) : null}
                    {results.more ? (
                      <More busy={results.busy} failed={results.failed} load={results.more} />
                    ) : null}
                  </div>
                </Scroll>
              </div>
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
        error={sentencesOf(wrong) || undefined}
      />
    </>
  )
}

/** The bounds of a token in the list. */
export function BoundChips({ token }: { token: Token }) {
  const t = useT()
  const names = useWorkflowNames(token.workflows)
  const named = token.workflows.map((id) => names.get(id) ?? id)
  return (
    <>
      {named.length > 0 ? (
        <Chip tip={listOf(named)}>{t('people.token_workflows_n', { n: named.length })}</Chip>
      ) : null}
      {token.collection ? <Chip>{t('people.token_collection')}</Chip> : null}
      {token.networks.length > 0 ? (
        <Chip tip={listOf(token.networks)}>{t('people.token_networks_n', { n: token.networks.length })}</Chip>
      ) : null}
    </>
  )
}
