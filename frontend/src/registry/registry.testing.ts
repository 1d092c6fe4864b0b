/** Servers, tools and answers for the registry's tests. */
import type { Server, TestReport, Tool } from '@/api/servers'

export function aServer(slug: string, more: Partial<Server> = {}): Server {
  return {
    id: `srv_${slug}`,
    name: slug,
    slug,
    description: '',
    transport: 'stdio',
    url: '',
    url_secret: false,
    expires_at: null,
    command: 'uvx',
    args: [`mcp-server-${slug}`],
    env: {},
    secret_env: {},
    cwd: '',
    auth_type: 'none',
    api_key_set: false,
    api_key_hint: '',
    api_key_header: 'X-API-Key',
    headers: {},
    secret_headers: {},
    timeout_ms: 30_000,
    preset: '',
    visibility: 'team',
    enabled: true,
    session: 'shared',
    credentials: 'shared',
    own_credentials: null,
    asks: false,
    trust_annotations: true,
    max_runs: null,
    max_calls: null,
    approval: null,
    box: 'boxed',
    folders: null,
    network: true,
    boxed_as: null,
    package: null,
    status: {
      state: 'ok',
      code: null,
      message: '',
      hint: '',
      checked_at: '2026-11-21T12:00:00Z',
      latency_ms: 6,
      protocol: '2026-07-28',
      server_name: `mcp-${slug}`,
      server_version: '1.0',
      tool_count: 1,
    },
    workflows: 0,
    changed_tools: 0,
    created_by: 'usr_1',
    created_at: '2026-11-01T12:00:00Z',
    updated_at: '2026-11-01T12:00:00Z',
    ...more,
  } as Server
}

export function aTool(server: string, name: string, more: Partial<Tool> = {}): Tool {
  return {
    server,
    name,
    title: '',
    description: `${name} does things.`,
    input_schema: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
    output_schema: null,
    annotations: {},
    effect: 'read',
    policy: 'auto',
    approvers: 'anyone',
    risk: { level: 'LOW', reasons: ['It only reads.'] },
    overrides: { policy: null, risk: null, effect: null },
    changed: false,
    gone: false,
    pinned: null,
    pinned_at: '2026-10-02T12:00:00Z',
    listed_at: '2026-11-19T12:00:00Z',
    problem: null,
    ...more,
  } as Tool
}

/** A test that stopped at `at`, or went through. */
export function aReport(time: string | null, more: Partial<TestReport> = {}): TestReport {
  const names = ['url', 'dns', 'tcp', 'tls', 'http', 'protocol', 'auth', 'tools', 'schemas']
  const stop = time === null ? names.length : names.indexOf(time)
  return {
    ok: time === null,
    stages: names.map((name, index) => ({
      name,
      ok: index < stop ? true : index === stop ? false : null,
      ms: index <= stop ? index * 10 : 0,
      detail: name === 'dns' ? { addresses: ['140.82.113.21'] } : null,
    })),
    code: null,
    message: '',
    hint: '',
    messages: [],
    stderr: [],
    ms: 142,
    protocol: '2025-06-18',
    server: { name: 'github', version: '1' },
    capabilities: {},
    tools: [],
    tool_count: 0,
    ...more,
  } as TestReport
}
