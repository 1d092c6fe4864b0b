/** The editor of a code node: what is written stands in its configuration. */
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { node } from '@/graph/graph.testing'
import { fill, openNode, typeOf } from '@/inspector/inspector.testing'

it('keeps the source as it is written', async () => {
  const type = typeOf('code', { source: { type: 'string' }, inputs: { type: 'object' } })
  const { at, user } = openNode(node('work', 'code', { config: { source: 'return {}' } }), { types: [type] })
  await screen.findByRole('textbox', { name: 'Source' })
  await fill(user, 'Source', 'return {"n": 1}')
  expect(at('work').config.source).toBe('return {"n": 1}')
})
