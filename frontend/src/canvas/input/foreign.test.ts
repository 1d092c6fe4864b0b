import { describe, expect, it } from 'vitest'
import { foreignKind } from './foreign'

describe('what is pasted and is not ours', () => {
  it.each([
    ['app:\n  mode: workflow\nkind: app\nworkflow:\n  graph: {}', 'dify'],
    ['{"app": {"mode": "chat"}, "kind": "app"}', 'dify'],
    ['{"nodes": [], "connections": {}}', 'n8n'],
    ['{"mcpServers": {}}', 'mcp'],
    ['schema: 1\nnodes:\n  - id: start\n', 'document'],
    ['{"a": 1}', 'other'],
    ['[1, 2]', 'other'],
    ['Read my mail: then answer.', 'text'],
  ])('%s is %s', (text, kind) => {
    expect(foreignKind(text)).toBe(kind)
  })
})
