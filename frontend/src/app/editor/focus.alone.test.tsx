/** Where writing begins in a form whose code is not there yet: that is loaded once only, so its modules are fresh. */
import { act, screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { sample } from '@/graph/graph.testing'
import { canvasElement, choose, command, inspector, openEditor } from './editor.testing'

it('the first field of a late form takes the focus, not what stands below it already', async () => {
  const graph = sample()
  const nodes = graph.nodes.map((node) =>
    node.id === 'log' ? { ...node, type: 'http', config: { method: 'GET', url: 'https://a.example' } } : node,
  )
  await openEditor({ graph: { ...graph, nodes } })
  await choose('log')
  act(() => canvasElement().focus())
  await command('canvas.open')
  await screen.findByRole('textbox', { name: 'URL' })
  await waitFor(() => expect(inspector()?.contains(document.activeElement)).toBe(true))
  expect(document.activeElement?.getAttribute('aria-label')).toBe('URL')
})
