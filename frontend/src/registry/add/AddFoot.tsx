/** The foot of the add dialog: test first, add; and what the test or the server said. */
import { type ReactNode, useEffect, useRef } from 'react'
import { type ApiError, asApiError } from '@/api/client'
import type { Server, TestReport } from '@/api/servers'
import { sentencesOf, useT } from '@/i18n'
import { type NewServer, useCreateServer, useTrial } from '@/registry/mutations'
import { Failure } from '@/registry/server/Connection'
import { Stages } from '@/registry/server/Stages'
import { Button, ErrorBox, StatusWord } from '@/ui'

/** Adding and testing one unsaved server. `fields` are the sentences to show at the fields, `tools` = how many of them
 * the test's report is to carry. */
export function useAdding(onAdded: (servers: readonly Server[]) => void, tools = 0) {
  const create = useCreateServer()
  const { trial, stages } = useTrial(tools)
  const thrown = create.error ?? trial.error
  const error: ApiError | null = thrown ? asApiError(thrown) : null
  return {
    error,
    fields: error?.fields ?? {},
    report: trial.data ?? null,
    stages,
    testing: trial.isPending,
    adding: create.isPending,
    test: (server: NewServer) => {
      create.reset()
      trial.mutate(server)
    },
    add: (server: NewServer) => {
      trial.reset()
      create.mutate(server, { onSuccess: (result) => onAdded([result]) })
    },
  }
}

export type Adding = ReturnType<typeof useAdding>

/** The test's stages and the failure, or the refusal; below the fields, scrolled into sight when they come. */
export function Outcome({
  adding,
  transport,
  shownFields,
}: {
  readonly adding: Adding
  readonly transport: Server['transport']
  /** Names of the fields that stand in the form; a refusal that names none of them is shown here. */
  readonly shownFields: readonly string[]
}) {
  const t = useT()
  const box = useRef<HTMLDivElement>(null)
  const { error, report, stages, testing } = adding
  const named =
    error && Object.keys(error.fields).some((name) => shownFields.includes(name.split('.')[0] ?? ''))
  const shown = testing || report || (error && !named)
  useEffect(() => {
    if (shown) box.current?.scrollIntoView({ block: 'nearest' })
  }, [shown])
  if (!shown) return null
  return (
    <div ref={box} className="grid grid-cols-1 gap-3 pt-1">
      {error && !named ? (
        <ErrorBox error={error}>
          {Object.entries(error.fields).map(([name, texts]) => (
            <p key={name} className="text-sm">
              <code className="font-mono text-xs">{name}</code> {sentencesOf(texts)}
            </p>
          ))}
        </ErrorBox>
      ) : null}
      {report && !report.ok && !testing ? <Failure report={report} /> : null}
      {report?.ok && !testing ? <Passed report={report} /> : null}
      {testing || report ? (
        <Stages transport={transport} report={report} reported={stages} going={testing} />
      ) : null}
      <span className="sr-only" role="status">
        {report?.ok ? t('registry.test_passed') : ''}
      </span>
    </div>
  )
}

function Passed({ report }: { report: TestReport }) {
  const t = useT()
  return (
    <p className="flex flex-wrap items-center gap-x-3">
      <StatusWord status="succeeded">{t('registry.test_passed')}</StatusWord>
      <span className="text-sm text-muted">
        {[report.server.name, report.server.version].filter(Boolean).join(' ')} ·{' '}
        {t('registry.tool_count', { n: report.tool_count })}
      </span>
    </p>
  )
}

export function Foot({
  adding,
  server,
  note,
  blocked,
  add,
}: {
  readonly adding: Adding
  readonly server: () => NewServer
  readonly note: ReactNode
  /** Why it cannot be added yet. */
  readonly blocked: string | undefined
  /** What adding is called where it is no server. */
  readonly add?: string
}) {
  const t = useT()
  return (
    <div className="dialog-foot">
      <p className="mr-auto text-xs text-muted phone:hidden">{note}</p>
      <Button size="large" blocked={blocked} busy={adding.testing} onClick={() => adding.test(server())}>
        {t('registry.test_first')}
      </Button>
      <Button
        size="large"
        variant="primary"
        blocked={blocked}
        busy={adding.adding}
        onClick={() => adding.add(server())}
      >
        {add ?? t('registry.add_server')}
      </Button>
    </div>
  )
}
