/** The list of workflows: open, create, copy, rename, delete, import, export. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Ellipsis, FileUp, LayoutTemplate, Plus, Search } from 'lucide-react'
import { type ComponentType, type ReactNode, Suspense, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { asApiError } from '@/api/client'
import { loadNextPage } from '@/api/next-page'
import { useMay } from '@/api/queries'
import { type ListedWorkflow, workflowListQuery } from '@/api/workflows'
import { useT } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import {
  Button,
  ErrorBox,
  IconButton,
  Menu,
  More,
  PageBar,
  Skeleton,
  useActions,
  useDebounced,
  useSlow,
} from '@/ui'
import { useNarrow, usePhone } from '@/ui/media'
import { type Asking, Dialogs } from './dialogs'
import { Card, Row } from './rows'

const StartCards = lazily(async () => ({
  default: (await fetchCode(() => import('./StartCards'))).StartCards,
}))

/** So many workflows that ran already: the first page then says what goes on before it says where to begin. */
const BUSY = 4
/** So many of a busy team's workflows stand on its first page. */
const SOME = 5

export interface WorkflowsPageProps {
  /** The first page of a busy team, around its newest workflows and the templates. */
  readonly BusyTeam?: ComponentType<{ readonly workflows: ReactNode; readonly templates: ReactNode }>
}

function Empty({
  onCreate,
  onTemplate,
  onImport,
  mayEdit,
}: {
  onCreate: () => void
  onTemplate: () => void
  onImport: () => void
  mayEdit: boolean
}) {
  const t = useT()
  const steps = [
    [t('workflows.step_1'), t('workflows.step_1_text')],
    [t('workflows.step_2'), t('workflows.step_2_text')],
    [t('workflows.step_3'), t('workflows.step_3_text')],
  ] as const
  return (
    <div className="grid max-w-240 gap-4 p-4">
      <div>
        <h2>{t('workflows.empty_title')}</h2>
        <p className="text-muted">{t('workflows.empty_text')}</p>
      </div>
      <ol className="grid grid-cols-3 gap-3 phone:grid-cols-1">
        {steps.map(([title, text], index) => (
          <li key={title} className="rounded-lg border border-line bg-surface p-4">
            <h3>
              <span className="mr-2 text-muted tabular-nums">{index + 1}</span>
              {title}
            </h3>
            <p className="pt-1 text-sm text-muted">{text}</p>
          </li>
        ))}
      </ol>
      {mayEdit ? (
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" icon={<Plus aria-hidden />} onClick={onCreate}>
            {t('workflows.new')}
          </Button>
          <Button icon={<LayoutTemplate aria-hidden />} onClick={onTemplate}>
            {t('workflows.from_template')}
          </Button>
          <Button icon={<FileUp aria-hidden />} onClick={onImport}>
            {t('workflows.import_button')}
          </Button>
          <Link className="btn btn-quiet" href="/registry">
            {t('workflows.to_registry')}
          </Link>
        </div>
      ) : null}
    </div>
  )
}

function FindWorkflow({ query, onQuery }: { query: string; onQuery: (query: string) => void }) {
  const t = useT()
  return (
    <div className="input w-56 phone:w-full">
      <Search aria-hidden />
      <input
        type="search"
        value={query}
        placeholder={t('workflows.search')}
        aria-label={t('workflows.search')}
        onChange={(event) => onQuery(event.target.value)}
      />
    </div>
  )
}

interface ListedProps {
  readonly workflows: readonly ListedWorkflow[]
  readonly ask: (asking: Asking) => void
}

/** Rows of a table; on narrow screens cards. */
function Listed({ workflows, ask }: ListedProps) {
  const t = useT()
  if (useNarrow()) {
    return (
      <ul>
        {workflows.map((workflow) => (
          <Card key={workflow.id} workflow={workflow} ask={ask} />
        ))}
      </ul>
    )
  }
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{t('workflows.name')}</th>
          <th className="w-32 wall:w-[12%]">{t('workflows.state')}</th>
          <th className="w-64 wall:w-[22%]">{t('workflows.edited')}</th>
          <th className="w-56 wall:w-[22%]">{t('workflows.last_run')}</th>
          <th className="w-14">
            <span className="sr-only">{t('editor.more')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {workflows.map((workflow) => (
          <Row key={workflow.id} workflow={workflow} ask={ask} />
        ))}
      </tbody>
    </table>
  )
}

/** The ways to a new workflow, by key and in the palette. */
function useWaysToStart(
  mayEdit: boolean,
  { create, choosing, importing }: Readonly<Record<'create' | 'choosing' | 'importing', () => void>>,
): void {
  const t = useT()
  useActions([
    {
      id: 'workflows.new',
      title: t('workflows.new'),
      group: t('workflows.title'),
      keys: 'n',
      when: () => mayEdit,
      run: create,
    },
    {
      id: 'workflows.template',
      title: t('workflows.from_template'),
      group: t('workflows.title'),
      when: () => mayEdit,
      run: choosing,
    },
    {
      id: 'workflows.import',
      title: t('workflows.import_title'),
      group: t('workflows.title'),
      when: () => mayEdit,
      run: importing,
    },
  ])
}

export default function WorkflowsPage({ BusyTeam }: WorkflowsPageProps) {
  const t = useT()
  const phone = usePhone()
  const small = useNarrow()
  const mayEdit = useMay('editor')
  const [query, setQuery] = useState('')
  const search = useDebounced(query.trim())
  const list = useInfiniteQuery({ ...workflowListQuery(search), placeholderData: keepPreviousData })
  const { data, error, isPending, isPlaceholderData, refetch } = list
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError } = list
  const slow = useSlow(isPending)
  const [asking, setAsking] = useState<Asking | null>(null)
  const create = () => setAsking({ kind: 'create' })
  const importing = () => setAsking({ kind: 'import' })
  const choosing = () => setAsking({ kind: 'template' })
  const look = (template: string) => setAsking({ kind: 'template', template })
  useWaysToStart(mayEdit, { create, choosing, importing })
  const shown = data?.pages.flatMap((page) => page.results) ?? []
  const none = data !== undefined && shown.length === 0
  const looking = isPlaceholderData || search !== query.trim()
  // None at all, and not only none that fits: the words are only taken back once the whole list came.
  const empty = none && !looking && search === ''
  const listed = data !== undefined && !empty
  // The page behind the logo says where to begin; the list stands alone at its own address, and while one searches.
  const [address] = useLocation()
  const front = address === '/' && search === '' && query === ''
  const busy = front && BusyTeam && shown.filter((workflow) => workflow.last_run).length >= BUSY
  const start = front && mayEdit && !busy && !isPending
  const find = <FindWorkflow query={query} onQuery={setQuery} />
  return (
    <>
      <PageBar title={t('workflows.title')}>
        {listed && !phone ? find : null}
        {mayEdit && listed ? (
          <>
            {small ? (
              <Menu
                label={t('workflows.more')}
                trigger={
                  <IconButton label={t('workflows.more')}>
                    <Ellipsis />
                  </IconButton>
                }
                items={[
                  { label: t('workflows.from_template'), icon: <LayoutTemplate />, onSelect: choosing },
                  { label: t('workflows.import_button'), icon: <FileUp />, onSelect: importing },
                ]}
              />
            ) : (
              <>
                <Button icon={<FileUp aria-hidden />} onClick={importing}>
                  {t('workflows.import')}
                </Button>
                <Button icon={<LayoutTemplate aria-hidden />} onClick={choosing}>
                  {t('workflows.from_template')}
                </Button>
              </>
            )}
            <Button variant="primary" size="large" icon={<Plus aria-hidden />} onClick={create}>
              {t('workflows.new')}
            </Button>
          </>
        ) : null}
      </PageBar>
      {listed && phone ? (
        <div className="flex-none border-b border-line bg-surface px-4 py-2">{find}</div>
      ) : null}
      <div className="min-h-0 flex-1 overflow-auto bg-surface" aria-busy={looking || undefined}>
        {error && !isFetchNextPageError ? (
          <div className="max-w-120 p-4">
            <ErrorBox
              error={asApiError(error)}
              title={t('workflows.load_failed')}
              actions={<Button onClick={() => void refetch()}>{t('palette.retry')}</Button>}
            />
          </div>
        ) : null}
        {start ? (
          <Suspense fallback={<Skeleton rows={4} row={64} />}>
            <StartCards onLook={look} />
          </Suspense>
        ) : null}
        {start && shown.length > 0 ? <h2 className="px-4 pt-2 pb-1">{t('workflows.start_yours')}</h2> : null}
        {slow ? <Skeleton rows={6} /> : null}
        {empty ? (
          <Empty onCreate={create} onTemplate={choosing} onImport={importing} mayEdit={mayEdit} />
        ) : null}
        {none && !empty && !looking ? <p className="p-4 text-muted">{t('workflows.none_found')}</p> : null}
        {busy ? (
          <Suspense fallback={<Skeleton rows={8} />}>
            <BusyTeam
              workflows={<Listed workflows={shown.slice(0, SOME)} ask={setAsking} />}
              templates={mayEdit ? <StartCards rows onLook={look} /> : null}
            />
          </Suspense>
        ) : shown.length > 0 ? (
          <Listed workflows={shown} ask={setAsking} />
        ) : null}
        {hasNextPage && !busy ? (
          <More
            busy={isFetchingNextPage}
            failed={isFetchNextPageError}
            load={() => void loadNextPage(list)}
          />
        ) : null}
      </div>
      <Dialogs asking={asking} onClose={() => setAsking(null)} />
    </>
  )
}
