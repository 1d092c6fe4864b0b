/**
 * Schemas that forms meet: those of well-known servers' tools as these publish them, and hard ones of our own.
 * Test data; imported by tests only.
 */
type Schema = Record<string, unknown>

const object = (properties: Record<string, unknown>, required: string[] = [], more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  ...more,
})
const text = (description?: string, more: Schema = {}): Schema => ({
  type: 'string',
  ...(description && { description }),
  ...more,
})
const zod = { additionalProperties: false, $schema: 'http://json-schema.org/draft-07/schema#' }

const everything: Record<string, Schema> = {
  echo: object({ message: text('Message to echo') }, ['message'], zod),
  add: object(
    {
      a: { type: 'number', description: 'First number' },
      b: { type: 'number', description: 'Second number' },
    },
    ['a', 'b'],
    zod,
  ),
  printEnv: object({}, [], zod),
  longRunningOperation: object(
    {
      duration: { type: 'number', default: 10, description: 'Duration of the operation in seconds' },
      steps: { type: 'number', default: 5, description: 'Number of steps in the operation' },
    },
    [],
    zod,
  ),
  sampleLLM: object(
    { prompt: text('The prompt to send to the LLM'), maxTokens: { type: 'number', default: 100 } },
    ['prompt'],
    zod,
  ),
  getTinyImage: object({}, [], zod),
  annotatedMessage: object(
    {
      messageType: {
        type: 'string',
        enum: ['error', 'success', 'debug'],
        description: 'Type of message to demonstrate',
      },
      includeImage: { type: 'boolean', default: false },
    },
    ['messageType'],
    zod,
  ),
  getResourceReference: object(
    { resourceId: { type: 'number', minimum: 1, maximum: 100 } },
    ['resourceId'],
    zod,
  ),
  getResourceLinks: object({ count: { type: 'number', minimum: 1, maximum: 10, default: 3 } }, [], zod),
  structuredContent: object({ location: text('City name or zip code', { minLength: 1 }) }, ['location'], zod),
  startElicitation: object(
    {
      color: text(),
      number: { type: 'integer', minimum: 1, maximum: 100, default: 42 },
      pets: { type: 'string', enum: ['cats', 'dogs', 'birds', 'fish', 'reptiles'] },
    },
    [],
    zod,
  ),
  zip: object(
    { files: { type: 'object', additionalProperties: { type: 'string', format: 'uri' }, default: {} } },
    [],
    zod,
  ),
  listRoots: { type: 'object', properties: {} },
}

const path = text()
const filesystem: Record<string, Schema> = {
  read_file: object(
    { path, tail: { type: 'number', description: 'Only the last N lines' }, head: { type: 'number' } },
    ['path'],
    zod,
  ),
  read_text_file: object({ path, tail: { type: 'number' }, head: { type: 'number' } }, ['path'], zod),
  read_media_file: object({ path }, ['path'], zod),
  read_multiple_files: object(
    { paths: { type: 'array', items: { type: 'string' }, minItems: 1 } },
    ['paths'],
    zod,
  ),
  write_file: object({ path, content: text() }, ['path', 'content'], zod),
  edit_file: object(
    {
      path,
      edits: {
        type: 'array',
        items: object(
          { oldText: text('Text to search for - must match exactly'), newText: text('Text to replace with') },
          ['oldText', 'newText'],
          {
            additionalProperties: false,
          },
        ),
      },
      dryRun: { type: 'boolean', default: false, description: 'Preview changes using git-style diff format' },
    },
    ['path', 'edits'],
    zod,
  ),
  create_directory: object({ path }, ['path'], zod),
  list_directory: object({ path }, ['path'], zod),
  list_directory_with_sizes: object(
    { path, sortBy: { type: 'string', enum: ['name', 'size'], default: 'name' } },
    ['path'],
    zod,
  ),
  directory_tree: object(
    { path, excludePatterns: { type: 'array', items: { type: 'string' }, default: [] } },
    ['path'],
    zod,
  ),
  move_file: object({ source: text(), destination: text() }, ['source', 'destination'], zod),
  search_files: object(
    { path, pattern: text(), excludePatterns: { type: 'array', items: { type: 'string' }, default: [] } },
    ['path', 'pattern'],
    zod,
  ),
  get_file_info: object({ path }, ['path'], zod),
  list_allowed_directories: object({}, [], zod),
}

const repo = { title: 'Repo Path', type: 'string' }
const context = { default: 3, title: 'Context Lines', type: 'integer' }
const optional = (title: string, description: string): Schema => ({
  anyOf: [{ type: 'string' }, { type: 'null' }],
  default: null,
  description,
  title,
})
const git: Record<string, Schema> = {
  git_status: object({ repo_path: repo }, ['repo_path'], { title: 'GitStatus' }),
  git_diff_unstaged: object({ repo_path: repo, context_lines: context }, ['repo_path']),
  git_diff_staged: object({ repo_path: repo, context_lines: context }, ['repo_path']),
  git_diff: object({ repo_path: repo, target: { title: 'Target', type: 'string' }, context_lines: context }, [
    'repo_path',
    'target',
  ]),
  git_commit: object({ repo_path: repo, message: { title: 'Message', type: 'string' } }, [
    'repo_path',
    'message',
  ]),
  git_add: object({ repo_path: repo, files: { items: { type: 'string' }, title: 'Files', type: 'array' } }, [
    'repo_path',
    'files',
  ]),
  git_reset: object({ repo_path: repo }, ['repo_path']),
  git_log: object(
    {
      repo_path: repo,
      max_count: { default: 10, title: 'Max Count', type: 'integer' },
      start_timestamp: optional(
        'Start Timestamp',
        "Start timestamp for filtering commits. Accepts: ISO 8601 format, relative dates ('2 weeks ago'), or absolute dates",
      ),
      end_timestamp: optional('End Timestamp', 'End timestamp for filtering commits.'),
    },
    ['repo_path'],
  ),
  git_create_branch: object(
    {
      repo_path: repo,
      branch_name: { title: 'Branch Name', type: 'string' },
      base_branch: optional('Base Branch', ''),
    },
    ['repo_path', 'branch_name'],
  ),
  git_checkout: object({ repo_path: repo, branch_name: { title: 'Branch Name', type: 'string' } }, [
    'repo_path',
    'branch_name',
  ]),
  git_show: object({ repo_path: repo, revision: { title: 'Revision', type: 'string' } }, [
    'repo_path',
    'revision',
  ]),
  git_branch: object(
    {
      repo_path: repo,
      branch_type: {
        description: "Whether to list local branches ('local'), remote ('remote') or all",
        type: 'string',
      },
      contains: optional('Contains', ''),
      not_contains: optional('Not Contains', ''),
    },
    ['repo_path', 'branch_type'],
  ),
}

const time: Record<string, Schema> = {
  get_current_time: object(
    { timezone: text("IANA timezone name (e.g., 'America/New_York', 'Europe/London').") },
    ['timezone'],
  ),
  convert_time: object(
    {
      source_timezone: text(),
      time: text('Time to convert in 24-hour format (HH:MM)'),
      target_timezone: text(),
    },
    ['source_timezone', 'time', 'target_timezone'],
  ),
}

/** A schema that needs itself, for ever: no value fits, no form may loop. */
const endless: Schema = { type: 'object', properties: { child: { $ref: '#' } }, required: ['child'] }

const hard: Record<string, Schema> = {
  nested: object({
    filter: object(
      {
        range: object({ from: text(undefined, { format: 'date' }), to: text(undefined, { format: 'date' }) }),
        tags: { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
      },
      ['range'],
    ),
  }),
  tree: object({ root: { $ref: '#/$defs/tree' } }, ['root'], {
    $defs: {
      tree: object(
        {
          name: text(),
          children: { type: 'array', items: { $ref: '#/$defs/tree' } },
          parent: { $ref: '#/$defs/tree' },
        },
        ['name'],
      ),
    },
  }),
  endless,
  cycle: { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } },
  unions: object({
    shape: {
      oneOf: [
        object({ kind: { const: 'circle' }, radius: { type: 'number' } }, ['kind', 'radius']),
        object({ kind: { const: 'box' }, width: { type: 'number' }, height: { type: 'number' } }, ['kind']),
      ],
    },
    level: {
      oneOf: [
        { const: 1, title: 'Low' },
        { const: 2, title: 'High', description: 'slower' },
      ],
    },
    either: { type: ['string', 'integer', 'null'] },
    maybe: { anyOf: [object({ x: { type: 'number' } }), { type: 'null' }] },
    together: object({ a: text(), b: text() }, [], { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
  }),
  tuple: object({
    point: {
      type: 'array',
      prefixItems: [{ type: 'number' }, { type: 'number' }, { enum: ['m', 'km'] }],
      items: false,
    },
    old: {
      type: 'array',
      items: [{ type: 'string' }, { type: 'integer' }],
      additionalItems: { type: 'boolean' },
    },
  }),
  merged: {
    allOf: [
      object({ a: { type: 'integer', minimum: 1 } }, ['a']),
      object({ a: { maximum: 5 }, b: { type: 'boolean' } }, ['b']),
      { $ref: '#/$defs/more' },
    ],
    $defs: { more: object({ c: text() }) },
  },
  maps: object({
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    byCode: {
      type: 'object',
      patternProperties: { '^x-': { type: 'integer' } },
      additionalProperties: false,
    },
    free: { type: 'object' },
    any: {},
  }),
  untyped: {
    properties: { a: { description: 'anything' }, b: true, c: false, d: { default: { x: 1 } } },
  } as Schema,
  remote: object({
    a: { $ref: 'https://example.org/schema.json#/x' },
    b: { $ref: 'other.json' },
    c: { $ref: '#/$defs/missing' },
  }),
  nonsense: {
    type: 7,
    properties: [1, 2],
    required: 'a',
    enum: 'x',
    items: 'y',
    oneOf: 5,
    default: undefined,
    title: 4,
    description: [],
  } as Schema,
  prototype: object(
    JSON.parse(
      '{"__proto__": {"type": "string"}, "constructor": {"type": "integer"}, "a/b~c": {"type": "boolean"}, "": {"type": "string"}}',
    ),
    ['constructor'],
  ),
  huge_enum: object({ code: { type: 'string', enum: Array.from({ length: 5000 }, (_, n) => `code-${n}`) } }, [
    'code',
  ]),
  wide: object(
    Object.fromEntries(
      Array.from({ length: 3000 }, (_, n) => [
        `field_${n}`,
        { type: n % 2 ? 'string' : 'number', description: 'x'.repeat(1500) },
      ]),
    ),
  ),
}

/** Name → schema: 13 + 14 + 12 + 2 of real servers, 14 hard ones. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  ...everything,
  ...filesystem,
  ...git,
  ...time,
  ...hard,
}
