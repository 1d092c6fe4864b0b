/** How the saved tests go with both documents: played when asked for, offline. */
import { useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleX, Play } from 'lucide-react'
import { useState } from 'react'
import { asApiError, failureOf } from '@/api/client'
import { useMay } from '@/api/queries'
import { runTest, testsQuery, useTests, type WorkflowTest } from '@/api/workflow-tests'
import { useT } from '@/i18n'
import { Button, toast, visible } from '@/ui'
import { sideName } from './documents'
import { type Played, whyOf } from './played-tests'
import { type Pair, type Side, writeSide } from './sides'
import './history.css'

type Results = ReadonlyMap<string, Played>

const keyOf = (test: string, side: Side): string => `${test} ${writeSide(side)}`

/** Only the draft and versions are played: of other documents the server plays none. */
const playable = (side: Side): boolean => side.kind === 'draft' || side.kind === 'version'

function usePlay(workflow: string, sides: readonly Side[], save: () => Promise<unknown>) {
  const client = useQueryClient()
  const [results, setResults] = useState<Results>(new Map())
  const [playing, setPlaying] = useState(false)
  const playWith = (test: string, side: Side): Promise<Played> =>
    runTest(workflow, test, side.kind === 'version' ? side.number : undefined).then(
      (result) => ({ result }),
      (thrown) => ({ error: asApiError(thrown) }),
    )
  const play = async (tests: readonly WorkflowTest[]) => {
    setPlaying(true)
    setResults(new Map())
    try {
      await save()
      for (const test of tests)
        for (const side of sides.filter(playable)) {
          const played = await playWith(test.id, side)
          setResults((known) => new Map(known).set(keyOf(test.id, side), played))
        }
    } catch (thrown) {
      toast.error(failureOf(thrown))
    } finally {
      setPlaying(false)
      void client.invalidateQueries({ queryKey: testsQuery(workflow).queryKey })
    }
  }
  return { results, playing, play }
}

export interface CompareTestsProps {
  readonly workflow: string
  readonly pair: Pair
  /** Puts the draft on the server, where it is played. */
  readonly save: () => Promise<unknown>
}

export function CompareTests({ workflow, pair, save }: CompareTestsProps) {
  const t = useT()
  const may = useMay('editor')
  const { data: tests = [] } = useTests(workflow)
  const sides = [pair.before, pair.after]
  const { results, playing, play } = usePlay(workflow, sides, save)
  if (tests.length === 0 || !sides.some(playable)) return null
  return (
    <section className="compare-tests" aria-label={t('versions.tests')}>
      <header>
        <h3>{t('versions.tests')}</h3>
        <span className="flex-1 text-muted" role="status">
          {playing ? t('versions.playing_both') : ''}
        </span>
        {may ? (
          <Button size="small" icon={<Play aria-hidden />} busy={playing} onClick={() => void play(tests)}>
            {t('versions.play')}
          </Button>
        ) : null}
      </header>
      {results.size === 0 ? null : <TestTable tests={tests} sides={sides} results={results} />}
    </section>
  )
}

interface TestTableProps {
  readonly tests: readonly WorkflowTest[]
  readonly sides: readonly Side[]
  readonly results: Results
}

function TestTable({ tests, sides, results }: TestTableProps) {
  const t = useT()
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">{t('versions.test')}</th>
          {sides.map((side, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a side is its place, both may be the same document
            <th key={index} scope="col">
              {sideName(side, t)}
            </th>
          ))}
          <th scope="col">{t('versions.why')}</th>
        </tr>
      </thead>
      <tbody>
        {tests.map((test) => (
          <TestResults key={test.id} test={test} sides={sides} results={results} />
        ))}
      </tbody>
    </table>
  )
}

function TestResults({
  test,
  sides,
  results,
}: Omit<TestTableProps, 'tests'> & { readonly test: WorkflowTest }) {
  const t = useT()
  const played = sides.map((side) => results.get(keyOf(test.id, side)))
  const why = played.findLast((each) => each !== undefined && !passes(each))
  return (
    <tr>
      <th scope="row">{visible(test.name)}</th>
      {played.map((each, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a side is its place
        <td key={index}>{each ? <Outcome played={each} /> : t('versions.test_waits')}</td>
      ))}
      <td className="text-muted">{why ? whyOf(why, t) : ''}</td>
    </tr>
  )
}

const passes = (played: Played): boolean => 'result' in played && played.result.ok

function Outcome({ played }: { readonly played: Played }) {
  const t = useT()
  const ok = passes(played)
  const Mark = ok ? CircleCheck : CircleX
  return (
    <span className="inline-flex items-center gap-1" data-tone={ok ? 'ok' : 'failed'}>
      <Mark size={14} aria-hidden />
      {t(ok ? 'versions.test_passes' : 'versions.test_fails')}
    </span>
  )
}
