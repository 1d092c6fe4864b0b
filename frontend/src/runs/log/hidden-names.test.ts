import { describe, expect, it } from 'vitest'
import type { RunEvent } from '@/api/run-types'
import { subtitleOf, titleOf } from '@/graph/nodes/describe'
import type { GraphNode } from '@/graph/types'
import { toolName } from '@/interactions/kinds'
import { emptyFold, fold } from '@/live/fold'
import { anAgent } from '@/live/talks.testing'
import { turnsOf } from '@/runs/conversation/turns'
import { rowsOf } from '@/runs/timeline/waterfall'
import { eventText } from './event-text'

const HIDING = 'read\u202etxt'
const SHOWN = 'read⟨U+202E⟩txt'

/** The agent's log with a tool whose name hides a character. */
const log = (): RunEvent[] => JSON.parse(JSON.stringify(anAgent()).replaceAll('git_log', HIDING))

describe('names that hide characters', () => {
  it('are shown on a card', () => {
    const node: GraphNode = {
      ...{ id: 'n', type: 'tool', v: 1, title: '', position: { x: 0, y: 0 } },
      config: { server: 'files', tool: HIDING },
    }
    expect(titleOf(node, new Map())).toBe(SHOWN)
    expect(titleOf({ ...node, title: HIDING }, new Map())).toBe(SHOWN)
    expect(subtitleOf(node)).toEqual({ lead: 'files', tail: SHOWN })
  })
  it('are shown in a question', () => {
    expect(toolName(HIDING)).toBe(SHOWN)
    expect(toolName({ server: 'files', name: HIDING })).toBe(`files/${SHOWN}`)
  })
  it('are shown in a conversation, its times and its events', () => {
    const events = log()
    const state = fold(emptyFold('r'), events).state
    const step = state.steps.get('step_agent')
    if (!step) throw new Error('no step')
    const called = turnsOf(step, state).flatMap((turn) => (turn.kind === 'round' ? turn.called : []))
    expect(called[0]?.name).toBe(`git/${SHOWN}`)
    expect(JSON.stringify(rowsOf(state, new Set()).map((row) => row.label))).toContain(`git/${SHOWN}`)
    const request = events.find((event) => event.type === 'TOOL_REQUEST')
    expect(request && eventText(request)).toContain(`git/${SHOWN}`)
  })
})
