/** Programs that teams want started on this machine: an operator says yes or no to exactly what is shown, by its hash. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Hand } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type SearchResults, useSearchResults } from '@/api/choices'
import { api, asApiError } from '@/api/client'
import { type Program, programCountsQuery } from '@/api/servers'
import { useT } from '@/i18n'
import { Button, Callout, ErrorBox, More, RelativeTime, Segmented, Skeleton, TextField, visible } from '@/ui'

type State = Program['state']

function useDecideProgram(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (decision: 'approve' | 'reject') =>
      api.post(
        decision === 'approve'
          ? '/api/operator/programs/{key}/approve'
          : '/api/operator/programs/{key}/reject',
        { params: { path: { key: id } } },
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ['server'] }),
  })
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}

export const Code = ({ text }: { readonly text: string }) => (
  <code className="block font-mono text-xs break-all whitespace-pre-wrap">{visible(text)}</code>
)

/** What was decided about its box, as far as it differs from what every program gets. */
interface Decided {
  readonly box?: 'open'
  readonly folders?: readonly { readonly path: string; readonly write?: boolean }[]
  readonly network?: boolean
}

const decided = (program: Program): Decided => (program.box ?? {}) as Decided

function BoxRows({ box }: { readonly box: Decided }) {
  const t = useT()
  return (
    <>
      {box.box === 'open' ? <Row name={t('registry.box')}>{t('registry.box_kind_open')}</Row> : null}
      {box.folders ? (
        <Row name={t('registry.folders')}>
          {box.folders.length === 0 ? t('registry.folders_none') : null}
          {box.folders.map(({ path, write }) => (
            <p key={path}>
              <code className="font-mono text-xs break-all">{visible(path)}</code>{' '}
              <span className="text-muted">
                {write ? t('registry.folder_write') : t('registry.folder_read')}
              </span>
            </p>
          ))}
        </Row>
      ) : null}
      {box.network === false ? <Row name={t('registry.network')}>{t('registry.network_off')}</Row> : null}
    </>
  )
}

/** The configuration, each argument on its own line, hidden characters made visible. */
function Configuration({ program }: { readonly program: Program }) {
  const t = useT()
  return (
    <dl className="grid grid-cols-[110px_minmax(0,1fr)] gap-x-3 gap-y-1.5 text-sm phone:grid-cols-1">
      <Row name={t('registry.command')}>
        <Code text={program.command} />
      </Row>
      {program.args.length > 0 ? (
        <Row name={t('registry.arguments')}>
          {program.args.map((arg, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: arguments are told apart by their place
            <Code key={index} text={arg} />
          ))}
        </Row>
      ) : null}
      {program.env.length > 0 ? (
        <Row name={t('registry.environment')}>
          <Code text={program.env.join('\n')} />
        </Row>
      ) : null}
      {program.package ? (
        <Row name={t('registry.program_new_version')}>
          <Code text={program.package} />
        </Row>
      ) : null}
      {program.cwd ? (
        <Row name={t('registry.cwd')}>
          <Code text={program.cwd} />
        </Row>
      ) : null}
      <BoxRows box={decided(program)} />
      <Row name={t('registry.program_hash')}>
        <Code text={program.hash} />
      </Row>
    </dl>
  )
}

function Concerns({ program }: { readonly program: Program }) {
  const t = useT()
  const open = decided(program).box === 'open'
  if (program.concerns.length === 0 && !open) return null
  return (
    <Callout tone="waiting">
      <ul className="grid gap-1 text-sm">
        {open ? <li>{t('registry.concern_open')}</li> : null}
        {program.concerns.map((concern) => (
          <li key={`${concern.kind} ${concern.name}`}>
            {t(`registry.concern_${concern.kind}`, { name: visible(concern.name) })}
          </li>
        ))}
      </ul>
    </Callout>
  )
}

function One({ program }: { readonly program: Program }) {
  const t = useT()
  const decide = useDecideProgram(program.id)
  const reason = t(`registry.program_for_${program.asked_for}`)
  const who = program.requested_by ? ` · ${visible(program.requested_by)}` : ''
  return (
    <li className="grid grid-cols-1 gap-2 border-b border-line pb-4 last:border-0 last:pb-0">
      <p className="flex items-center gap-2">
        <Hand size={16} strokeWidth={1.5} data-tone="person" aria-hidden />
        <b className="min-w-0 font-semibold break-words">{visible(program.name)}</b>
        <span className="ml-auto flex-none text-xs text-muted">
          <RelativeTime value={program.created_at} />
        </span>
      </p>
      <p className="text-sm text-muted">
        {t('registry.team_of', { team: visible(program.team.name) })} · {reason}
        {who}
      </p>
      <Configuration program={program} />
      <Concerns program={program} />
      {program.state === 'waiting' ? null : <ProgramDecision program={program} />}
      {decide.error ? <ErrorBox error={asApiError(decide.error)} /> : null}
      <div className="flex items-center gap-2">
        <p className="mr-auto text-xs text-muted">{t('registry.approval_scope')}</p>
        {program.state === 'rejected' ? null : (
          <Button
            busy={decide.isPending && decide.variables === 'reject'}
            onClick={() => decide.mutate('reject')}
          >
            {t('registry.reject')}
          </Button>
        )}
        {program.state === 'approved' ? null : (
          <Button
            variant="primary"
            busy={decide.isPending && decide.variables === 'approve'}
            onClick={() => decide.mutate('approve')}
          >
            {t('registry.approve')}
          </Button>
        )}
      </div>
    </li>
  )
}

/** Whose word it was. */
export function ProgramDecision({
  program,
}: {
  readonly program: Pick<Program, 'state' | 'basis' | 'decided_by'>
}) {
  const t = useT()
  const who = program.decided_by ? visible(program.decided_by) : t('registry.an_operator')
  const text =
    program.state === 'rejected'
      ? t('registry.program_rejected_by', { who })
      : program.basis === 'operator'
        ? t('registry.program_approved_by', { who })
        : t(`registry.program_basis_${program.basis ?? 'earlier'}`)
  return <p className="text-sm text-muted">{text}</p>
}

/** All of them, by what was said; those that match what is typed, page by page. */
export function ProgramList() {
  const t = useT()
  const [state, setState] = useState<State>('waiting')
  const { data: counts } = useQuery(programCountsQuery(true))
  const results = useSearchResults<Program>(
    ['server', 'programs', state],
    (query) => api.get('/api/operator/programs', { params: { query: { ...query, state } } }),
    true,
  )
  const count = (of: State) => counts?.[of] ?? ''
  return (
    <>
      <div className="flex flex-wrap gap-2 pb-3">
        <Segmented<State>
          label={t('common.filter')}
          value={state}
          onChange={setState}
          options={[
            { value: 'waiting', label: t('registry.programs_waiting', { n: count('waiting') }) },
            { value: 'approved', label: t('registry.programs_approved', { n: count('approved') }) },
            { value: 'rejected', label: t('registry.programs_rejected', { n: count('rejected') }) },
          ]}
        />
        {results.long ? (
          <TextField
            inputType="search"
            aria-label={t('common.search')}
            placeholder={t('common.search')}
            value={results.search}
            onChange={results.onSearch}
          />
        ) : null}
      </div>
      <ProgramPages state={state} results={results} />
    </>
  )
}

function ProgramPages({
  state,
  results,
}: {
  readonly state: State
  readonly results: SearchResults<Program>
}) {
  const t = useT()
  if (results.error && results.rows.length === 0)
    return <ErrorBox error={asApiError(results.error)} title={t('common.not_loaded')} />
  if (results.pending) return <Skeleton rows={4} />
  if (results.rows.length === 0)
    return (
      <p className="text-muted">
        {t(results.search === '' ? `registry.no_programs_${state}` : 'common.no_match')}
      </p>
    )
  return (
    <>
      <ul className="grid grid-cols-1 gap-4">
        {results.rows.map((entry) => (
          <One key={entry.id} program={entry} />
        ))}
      </ul>
      {results.more ? <More busy={results.busy} failed={results.failed} load={results.more} /> : null}
    </>
  )
}
