/**
 * Starting a run: the button of the top bar and, where the start node asks for something, its form.
 *
 * The form remembers what was given last. ⌘Enter opens it and sends it. What the server refuses stands at its field;
 * problems of the graph are listed and lead to their nodes; too many starts count down.
 */

import { CircleX, Play } from 'lucide-react'
import { type Ref, Suspense, useEffect, useEffectEvent, useImperativeHandle, useState } from 'react'
import { type ApiError, asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import type { Run } from '@/api/run-types'
import { problemsIn, useStartRun } from '@/api/runs'
import { useGraph, useGraphStore } from '@/graph/context'
import type { Problem } from '@/graph/types'
import { loadRest, useT } from '@/i18n'
import { useRunView } from '@/live/run-store'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { Button, Popover, useActions } from '@/ui'
import { prefetch } from '@/ui/first-paint'
import type { AloneForm } from './alone'

const loadBody = prefetch(async () => {
  const [file] = await Promise.all([fetchCode(() => import('./RunFormBody')), loadRest()])
  return { default: file.RunFormBody }
})
const RunFormBody = lazily(loadBody)

/** What others start by the button's form. */
export interface RunHandle {
  /** Runs the draft up to this node: it and what is upstream of it. */
  readonly runTo: (node: string) => void
  /** Runs only this node of the draft, with given values in place of what the others give it. */
  readonly runAlone: (node: string) => void
}

export interface RunButtonProps {
  readonly ref?: Ref<RunHandle>
  readonly workflowId: string
  readonly problems: readonly Problem[]
  /** Saves what is not saved yet; gives the revision to run. */
  readonly save: () => Promise<number>
  readonly onStarted: (run: Run) => void
  /** Problems that the server found on starting. */
  readonly onProblems?: (problems: readonly Problem[]) => void
  readonly onShowProblems?: () => void
  /** Its problems are those of nodes that someone is just filling in: they are not told in red. */
  readonly quiet?: boolean
  /** Someone wants to run, whether or not that can be done. */
  readonly onTried?: () => void
}

interface Inputs {
  [name: string]: unknown
}

const keyOf = (workflow: string) => `run-inputs:${workflow}`

function lastInputs(workflow: string): Inputs | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(workflow)) ?? 'null')
    return typeof kept === 'object' && kept !== null && !Array.isArray(kept) ? (kept as Inputs) : null
  } catch {
    return null // what is kept there is a convenience, and any script of the page may have spoilt it
  }
}

/** The schema of what the start node asks for; null when it asks for nothing. */
function useInputSchema(): Readonly<Record<string, unknown>> | null {
  const start = useGraph((state) => state.graph.nodes.find((node) => node.type === 'start'))
  const schema = start?.config.inputs
  if (typeof schema !== 'object' || schema === null) return null
  const { properties } = schema as { properties?: unknown }
  const asks = typeof properties === 'object' && properties !== null && Object.keys(properties).length > 0
  return asks ? (schema as Readonly<Record<string, unknown>>) : null
}

/** Defaults of the schema's fields, filled in so that they can be seen. */
function defaultsOf(schema: Readonly<Record<string, unknown>> | null): Inputs {
  const properties = (schema?.properties ?? {}) as Readonly<Record<string, { default?: unknown } | boolean>>
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, entry]) =>
      typeof entry === 'object' && entry !== null && entry.default !== undefined
        ? [[name, entry.default]]
        : [],
    ),
  )
}

type StartOptions = Omit<RunButtonProps, 'ref' | 'onShowProblems' | 'quiet' | 'onTried'>

/** Why the draft cannot be run now; undefined = it can. Up to a node the server looks at what runs. */
function useBlocked(problems: readonly Problem[], until: string | null, wait: number): string | undefined {
  const t = useT()
  const may = useMay('editor')
  const errors = problems.filter((problem) => problem.severity === 'error').length
  if (!may) return t('runs.blocked_viewer')
  if (errors > 0 && until === null) return t('runs.blocked_problems', { n: errors })
  return wait > 0 ? t('runs.rate_limited', { n: wait }) : undefined
}

const wasTried = (): boolean => window.history.state?.run === true

/** What was made to be tried opens with its form; once, and not with every reload. */
function useTriedOnce(): void {
  useEffect(() => {
    if (wasTried()) window.history.replaceState(null, '')
  }, [])
}

/** The form of a node that runs alone, while it is asked for. */
function useAlone() {
  const store = useGraphStore()
  const view = useRunView()
  const [alone, setAlone] = useState<AloneForm | null>(null)
  const [values, setValues] = useState<unknown>({})
  const body = () => alone && { ...alone.split(values), until: alone.node }
  const ask = async (node: string, inputs: Inputs): Promise<void> => {
    const { aloneForm } = await fetchCode(() => import('./alone'))
    const { graph, types } = store.getState()
    const form = aloneForm(graph, types, node, view, inputs)
    setValues(form.values)
    setAlone(form)
  }
  return { alone, values, setValues, body, ask, close: () => setAlone(null) }
}

/** What is asked for, what was given, and starting the run with it. */
function useStart({ workflowId, problems, save, onStarted, onProblems }: StartOptions) {
  const may = useMay('editor')
  const schema = useInputSchema()
  const start = useStartRun()
  const [open, setOpen] = useState(() => may && schema !== null && wasTried())
  /** The node that the run ends with; null = the whole draft. */
  const [until, setUntil] = useState<string | null>(null)
  const [kept] = useState(() => lastInputs(workflowId))
  const [values, setValues] = useState<unknown>(() => kept ?? defaultsOf(schema))
  const [saving, setSaving] = useState(false)
  const singleRun = useAlone()
  const [failure, setFailure] = useState<ApiError | null>(null)
  const wait = useCountdown(failure?.code === 'RATE_LIMITED' ? failure.retryAfter : null)
  const blocked = useBlocked(problems, singleRun.alone?.node ?? until, wait)
  const busy = saving || start.isPending

  const close = () => {
    setOpen(false)
    setUntil(null)
    singleRun.close()
  }
  const startRun = async (until: string | null) => {
    if (busy) return
    setFailure(null)
    setSaving(true)
    try {
      const revision = await save()
      const inputs = schema ? (values as Inputs) : {}
      const body = singleRun.body() ?? { inputs, ...(until === null ? {} : { until }) }
      const run = await start.mutateAsync({
        workflow: workflowId,
        version: 'draft',
        revision,
        ...body,
      })
      if (schema && !singleRun.alone) localStorage.setItem(keyOf(workflowId), JSON.stringify(inputs))
      close()
      onStarted(run)
    } catch (thrown) {
      const error = asApiError(thrown)
      setFailure(error)
      setOpen(true)
      if (error.code === 'GRAPH_INVALID') onProblems?.(problemsIn(error))
    } finally {
      setSaving(false)
    }
  }
  const press = () => {
    if (blocked) return
    if (schema && !open) setOpen(true)
    else void startRun(until)
  }
  // A node's own run does not mind problems behind it: the server looks at what runs.
  const runTo = (node: string) => {
    if (!may || busy || wait > 0) return
    setUntil(node)
    setFailure(null)
    if (schema) setOpen(true)
    else void startRun(node)
  }
  const runAlone = (node: string) => {
    if (!may || busy || wait > 0) return
    setFailure(null)
    void singleRun.ask(node, schema ? (values as Inputs) : {}).then(() => setOpen(true))
  }
  const send = () => {
    if (!blocked) void startRun(until)
  }
  const { alone } = singleRun
  const asks = alone ? Object.keys(alone.values).length > 0 : false
  const reset = kept && !alone ? () => setValues(defaultsOf(schema)) : undefined
  return {
    schema: alone ? (asks ? alone.schema : null) : schema,
    open,
    until,
    alone,
    values: alone ? singleRun.values : values,
    setValues: alone ? singleRun.setValues : setValues,
    failure,
    wait,
    blocked,
    busy,
    press,
    runTo,
    runAlone,
    close,
    send,
    reset,
  }
}

/** The key: problems may be those of before the last edit, so it is saved and looked at anew; what is left is shown. */
function useKeyPress(
  { press, blocked, busy, wait }: ReturnType<typeof useStart>,
  { save, problems }: StartOptions,
  onShowProblems: (() => void) | undefined,
) {
  const may = useMay('editor')
  const [judged, setJudged] = useState<object | null>(null)
  const decide = useEffectEvent(() => {
    if (blocked === undefined) press()
    else if (problems.length > 0) onShowProblems?.()
  })
  useEffect(() => {
    if (judged) decide()
  }, [judged])
  const pressKey = () => {
    if (blocked === undefined) return press()
    const look = () => setJudged({})
    void save().then(look, look) // not saved, it is still they that prevent it
  }
  return { pressKey, may: may && !busy && wait === 0 }
}

export function RunButton({ ref, onShowProblems, quiet = false, onTried, ...options }: RunButtonProps) {
  const t = useT()
  const start = useStart(options)
  useTriedOnce()
  const { blocked, busy, press, runTo, runAlone } = start
  const key = useKeyPress(start, options, onShowProblems)
  const errors = options.problems.filter((problem) => problem.severity === 'error').length
  useImperativeHandle(ref, () => ({ runTo, runAlone }))
  useActions([
    {
      id: 'runs.run',
      title: t('runs.run'),
      group: t('runs.title'),
      keys: 'mod+enter',
      run: () => {
        onTried?.()
        key.pressKey()
      },
      when: () => key.may,
    },
  ])
  return (
    <span className="inline-flex items-center gap-2">
      {errors > 0 ? (
        <Button
          variant="quiet"
          size="small"
          aria-label={t('runs.blocked_problems', { n: errors })}
          onClick={onShowProblems}
        >
          <span data-tone={quiet ? undefined : 'failed'} className="max-[1100px]:hidden">
            {t('runs.blocked_problems', { n: errors })}
          </span>
          <span
            data-tone={quiet ? undefined : 'failed'}
            className="inline-flex items-center gap-1 min-[1101px]:hidden"
            aria-hidden
          >
            <CircleX className="size-4" />
            {errors}
          </span>
        </Button>
      ) : null}
      <Popover
        open={start.open}
        onOpenChange={(next) => {
          // The trigger starts a run that asks for nothing at once, and opens the form else.
          if (!next) start.close()
        }}
        align="end"
        label={t('runs.start')}
        className="run-form"
        trigger={
          <Button
            variant="primary"
            size="large"
            icon={<Play aria-hidden />}
            keys="mod+enter"
            busy={busy && !start.open}
            blocked={busy ? undefined : blocked}
            onClickCapture={onTried}
            onClick={press}
          >
            {t('runs.run')}
          </Button>
        }
      >
        <Suspense fallback={null}>
          <RunFormBody
            schema={start.schema}
            values={start.values}
            onChange={start.setValues}
            onReset={start.reset}
            failure={start.failure}
            wait={start.wait}
            onShowProblems={onShowProblems}
            busy={busy}
            blocked={busy ? undefined : blocked}
            toHere={start.until !== null}
            alone={start.alone}
            onSend={start.send}
          />
        </Suspense>
      </Popover>
    </span>
  )
}

/** Seconds left of `seconds`, counted from when they were given. */
function useCountdown(seconds: number | null): number {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    if (seconds === null) return setLeft(0)
    const end = Date.now() + seconds * 1000
    const show = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)))
    show()
    const timer = setInterval(show, 250)
    return () => clearInterval(timer)
  }, [seconds])
  return left
}
