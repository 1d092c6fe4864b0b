/** The saved tests played with one document: each in turn, offline, and what came of it. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type ApiError, asApiError } from '@/api/client'
import { runTest, type TestResult, testsQuery, useTests, type WorkflowTest } from '@/api/workflow-tests'
import { type Translate, useT } from '@/i18n'
import { visible } from '@/ui'

export type Played = { readonly result: TestResult } | { readonly error: ApiError }

export interface PlayedTests {
  /** Undefined while the list is read. */
  readonly tests: readonly WorkflowTest[] | undefined
  readonly played: ReadonlyMap<string, Played>
  readonly playing: boolean
  /** Why nothing could be played. */
  readonly error: ApiError | null
  readonly play: () => void
}

/** How many of them pass. */
export const passing = (played: ReadonlyMap<string, Played>): number =>
  [...played.values()].filter((each) => 'result' in each && each.result.ok).length

/** What is wrong with one: the nodes that give something else. */
export function whyOf(played: Played, t: Translate): string {
  if ('error' in played) return played.error.message
  const wrong = played.result.nodes.filter((node) => node.status !== 'same' && node.status !== 'new')
  return t('versions.nodes_differ', {
    n: wrong.length,
    nodes: wrong.map((node) => visible(node.title || node.node)).join(', '),
  })
}

/** Plays all of them once `before` is done, when the dialog opens and whenever it is asked to. */
export function usePlayedTests(workflow: string, before: () => Promise<unknown>): PlayedTests {
  const client = useQueryClient()
  const { data: tests, error: unread } = useTests(workflow)
  const [played, setPlayed] = useState<ReadonlyMap<string, Played>>(new Map())
  const [playing, setPlaying] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const latest = useRef(before)
  latest.current = before
  const play = useCallback(async () => {
    if (!tests || tests.length === 0) return
    setPlaying(true)
    setError(null)
    setPlayed(new Map())
    try {
      await latest.current()
      for (const test of tests) {
        const outcome: Played = await runTest(workflow, test.id).then(
          (result) => ({ result }),
          (thrown) => ({ error: asApiError(thrown) }),
        )
        setPlayed((known) => new Map(known).set(test.id, outcome))
      }
    } catch (thrown) {
      setError(asApiError(thrown))
    } finally {
      setPlaying(false)
      void client.invalidateQueries({ queryKey: testsQuery(workflow).queryKey, refetchType: 'none' })
    }
  }, [client, tests, workflow])
  const begun = useRef(false)
  useEffect(() => {
    if (!tests || begun.current) return
    begun.current = true
    void play()
  }, [tests, play])
  return {
    tests,
    played,
    playing,
    error: error ?? (unread ? asApiError(unread) : null),
    play: () => void play(),
  }
}

/** The sentence above the list. */
export function useTestsWord({ tests, played, playing }: PlayedTests): string {
  const t = useT()
  if (!tests) return t('common.loading')
  if (tests.length === 0) return t('versions.no_tests')
  if (playing) return t('versions.playing', { done: String(played.size), all: String(tests.length) })
  return t('versions.tests_pass', { n: passing(played), all: tests.length })
}
