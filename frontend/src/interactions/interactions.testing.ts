/** Questions for tests. */
import type { Interaction } from '@/api/run-types'

export function aQuestion(change: Partial<Interaction> = {}): Interaction {
  return {
    id: 'int_1',
    run: 'run_1',
    root_run: 'run_1',
    workflow: 'wf_1',
    workflow_name: 'Weekly digest',
    node: 'save',
    step: 'step_save',
    kind: 'approval',
    title: 'Write a file',
    message: 'Writes a file.',
    tool: { server: 'filesystem', name: 'write_file' },
    risk: { level: 'HIGH', reasons: ['The server marks it destructive'] },
    schema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path'],
    },
    proposal: { path: '/srv/a.md', content: 'old' },
    started: { by: 'olivia@example.org', trigger: 'manual', at: '2026-11-21T13:59:00Z' },
    evidence: { definition: null, read: [] },
    assignees: [],
    expires_at: null,
    on_expire: null,
    state: 'open',
    answered_by: null,
    answered_at: null,
    created_at: '2026-11-21T14:00:00Z',
    answer: null,
    ...change,
  }
}
