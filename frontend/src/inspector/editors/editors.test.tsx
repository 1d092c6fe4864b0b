/** The editors of single node types, as people use them: what they click and type stands in the document. */
import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { KINDS } from '@/files/accept'
import { node } from '@/graph/graph.testing'
import { fill, open, openNode, replace, typeOf } from '@/inspector/inspector.testing'

const condition = (left: string) => ({ left, op: 'eq', right: '' })
const row = (id: string) => ({ id, match: 'all', conditions: [condition(id)] })

describe('an if', () => {
  it('compares one value with another', async () => {
    const fork = node('fork', 'if', { config: { conditions: [condition('')] } })
    const { at, user } = openNode(fork)
    await fill(user, 'Value', '{{ log.result }}')
    await fill(user, 'Compared with', '3')
    expect(at('fork').config.conditions).toEqual([{ left: '{{ log.result }}', op: 'eq', right: 3 }])
  })
})

describe('a switch', () => {
  const openSwitch = () => openNode(node('pick', 'switch', { config: { cases: [row('big'), row('small')] } }))

  it('has the port of a case renamed, and says when two are alike', async () => {
    const { at, user } = openSwitch()
    const port = screen.getByLabelText('Port of case 1')
    await user.clear(port)
    await user.type(port, 'small')
    expect(screen.getByText('Two cases have this name.')).toBeTruthy()
    await user.type(port, 'est')
    expect(at('pick').config.cases).toEqual([{ ...row('big'), id: 'smallest' }, row('small')])
    expect(screen.queryByText('Two cases have this name.')).toBeNull()
  })

  it('tries a case earlier that was moved up', async () => {
    const { at, user } = openSwitch()
    await user.click(screen.getByRole('button', { name: 'Move case small up' }))
    expect(at('pick').config.cases).toEqual([row('small'), row('big')])
  })

  it('loses a case', async () => {
    const { at, user } = openSwitch()
    await user.click(screen.getByRole('button', { name: 'Remove case big' }))
    expect(at('pick').config.cases).toEqual([row('small')])
  })
})

describe('an end', () => {
  it('returns what is written for an output', async () => {
    const { at, user } = open({ select: { nodes: ['end'] } })
    await fill(user, 'Value of all', '["a", 1]')
    expect(at('end').config.outputs).toEqual({ all: ['a', 1] })
  })

  it('keeps the name of an output whose box is left empty', async () => {
    const { at, user } = open({ select: { nodes: ['end'] } })
    const name = screen.getByLabelText<HTMLInputElement>('Name 1')
    await user.clear(name)
    await user.tab()
    expect(name.value).toBe('all')
    expect(screen.queryByText('A name is missing.')).toBeNull()
    expect(at('end').config.outputs).toEqual({ all: '{{ each.items }}' })
  })

  it('loses an output', async () => {
    const { at, user } = open({ select: { nodes: ['end'] } })
    await user.click(screen.getByRole('button', { name: 'Remove all' }))
    expect(at('end').config.outputs).toEqual({})
  })
})

describe('a merge', () => {
  const openMerge = (...values: unknown[]) => openNode(node('join', 'merge', { config: { values } }))

  it('takes one more value', async () => {
    const { at, user } = openMerge('a')
    await user.click(screen.getByRole('button', { name: 'Add value' }))
    await fill(user, 'Value 2', '{{ log.result }}')
    expect(at('join').config.values).toEqual(['a', '{{ log.result }}'])
  })

  it('prefers a value that was moved up', async () => {
    const { at, user } = openMerge('a', 'b')
    await user.click(screen.getByRole('button', { name: 'Move value 2 up' }))
    expect(at('join').config.values).toEqual(['b', 'a'])
  })

  it('loses a value', async () => {
    const { at, user } = openMerge('a', 'b')
    await user.click(screen.getByRole('button', { name: 'Remove value 1' }))
    expect(at('join').config.values).toEqual(['b'])
  })
})

describe('a wait', () => {
  it('waits for the seconds that are written', async () => {
    const { at, user } = openNode(node('rest', 'wait', { config: { seconds: 5 } }))
    await fill(user, 'Seconds', '90')
    expect(at('rest').config).toEqual({ seconds: 90 })
  })
})

describe('a text', () => {
  it('is written, and taken out when it is emptied', async () => {
    const { at, user } = openNode(node('words', 'template', { config: {} }))
    await fill(user, 'Template', 'Dear {{ start.name }}')
    expect(at('words').config).toEqual({ template: 'Dear {{ start.name }}' })
    await user.keyboard('{Control>}a{/Control}{Backspace}')
    expect(at('words').config).toEqual({})
  })
})

describe('a form', () => {
  it('asks for the fields that it is given', async () => {
    const { at, user } = openNode(node('ask', 'form', { config: { title: 'Which?' } }))
    await user.click(screen.getByRole('button', { name: 'Add input' }))
    expect(at('ask').config).toEqual({
      title: 'Which?',
      schema: { type: 'object', properties: { input: { type: 'string' } } },
    })
  })
})

describe('a node without an editor of its own', () => {
  it('has the form of its schema', async () => {
    const types = [typeOf('fetch', { url: { type: 'string', title: 'Address' } })]
    const { at, user } = openNode(node('get', 'fetch', { config: {} }), { types })
    await user.type(screen.getByLabelText('Address'), 'https://example.org')
    expect(at('get').config).toEqual({ url: 'https://example.org' })
  })
})

describe('a tool', () => {
  it('is looked for on the server that is chosen', async () => {
    const { at, user } = open()
    await screen.findByRole('option', { name: 'Web' })
    await user.selectOptions(screen.getByLabelText('Server'), 'Web')
    expect(at('log').config.server).toBe('web')
  })
})

describe('an input that is added to a start', () => {
  it('has its name marked, to be typed over', async () => {
    const { at, user } = openNode(node('begin', 'start', { config: {} }))
    await user.click(screen.getByRole('button', { name: 'Add input' }))
    await user.keyboard('city')
    await user.click(screen.getByRole('button', { name: 'Add input' }))
    await user.keyboard('country')
    expect(Object.keys((at('begin').config.inputs as { properties: object }).properties)).toEqual([
      'city',
      'country',
    ])
  })
})

describe('the inputs of a start', () => {
  const openStart = (properties: Record<string, unknown>, required: readonly string[] = []) => {
    const inputs = { type: 'object', properties, ...(required.length > 0 && { required }) }
    const start = node('begin', 'start', { config: { inputs } })
    const opened = openNode(start)
    const details = (name: string) =>
      opened.user.click(screen.getByRole('button', { name: `Details of ${name}` }))
    return { ...opened, details, inputs: () => opened.at('begin').config.inputs }
  }
  const TEXT = { type: 'string' }

  it('are edited as the schema that they are', async () => {
    const { inputs, user } = openStart({ name: TEXT })
    await user.click(screen.getByRole('radio', { name: 'JSON Schema' }))
    await user.clear(screen.getByRole('textbox', { name: 'JSON' }))
    expect(inputs()).toEqual({ type: 'object', properties: {} })
    await replace(user, '{"type": "object", "properties": {"age": {"type": "integer"}}}')
    await user.click(screen.getByRole('radio', { name: 'Fields' }))
    expect(screen.getByLabelText('Name of input 1')).toHaveProperty('value', 'age')
    expect(inputs()).toEqual({ type: 'object', properties: { age: { type: 'integer' } } })
  })

  it('have a title and a description for who fills them in', async () => {
    const { inputs, details, user } = openStart({ name: TEXT })
    await details('name')
    await user.type(screen.getByLabelText('Title'), 'Your name')
    await user.type(screen.getByLabelText('Description'), 'As in your passport')
    const name = { ...TEXT, title: 'Your name', description: 'As in your passport' }
    expect(inputs()).toEqual({ type: 'object', properties: { name } })
  })

  it('offer choices, one per line, each once', async () => {
    const { inputs, details, user } = openStart({ colour: { type: 'string', enum: ['a'] } })
    await details('colour')
    const choices = screen.getByLabelText<HTMLTextAreaElement>('Choices, one per line')
    await user.type(choices, '{Enter}red{Enter}{Enter}a')
    expect(choices.value).toBe('a\nred\n\na')
    await user.tab()
    expect(inputs()).toEqual({
      type: 'object',
      properties: { colour: { type: 'string', enum: ['a', 'red'] } },
    })
  })

  it('offer numbers as they are typed', async () => {
    const { inputs, details, user } = openStart({ size: { type: 'string', enum: ['a'] } })
    await details('size')
    const choices = screen.getByLabelText<HTMLTextAreaElement>('Choices, one per line')
    await user.clear(choices)
    await user.type(choices, '1{Enter}2')
    expect(choices.value).toBe('1\n2')
    expect(inputs()).toEqual({ type: 'object', properties: { size: { type: 'string', enum: ['1', '2'] } } })
  })

  it('keep what the choices are where one more is added', async () => {
    const { inputs, details, user } = openStart({ size: { enum: [1, null, 'x'] } })
    await details('size')
    await user.type(screen.getByLabelText('Choices, one per line'), '{Enter}y')
    expect(inputs()).toEqual({ type: 'object', properties: { size: { enum: [1, null, 'x', 'y'] } } })
  })

  it('are not changed by a look at the choices', async () => {
    const { store, details, user } = openStart({ colour: { type: 'string', enum: ['a', 'b'] } })
    await details('colour')
    await user.click(screen.getByLabelText('Choices, one per line'))
    await user.tab()
    expect(store.getState().past).toHaveLength(0)
  })

  it('keep the name of one whose box is left empty', async () => {
    const { inputs, user } = openStart({ name: TEXT })
    const name = screen.getByLabelText<HTMLInputElement>('Name of input 1')
    await user.clear(name)
    expect(screen.getByText('A name is missing.')).toBeTruthy()
    await user.tab()
    expect(name.value).toBe('name')
    expect(inputs()).toEqual({ type: 'object', properties: { name: TEXT } })
  })

  it('keep the details open of one that is renamed', async () => {
    const { details, user } = openStart({ name: TEXT })
    await details('name')
    await user.type(screen.getByLabelText('Name of input 1'), 's')
    expect(screen.getByRole('switch', { name: 'names is required' })).toBeTruthy()
  })

  it('ask earlier for one that was moved up', async () => {
    const { inputs, details, user } = openStart({ name: TEXT, age: TEXT })
    await details('age')
    await user.click(screen.getByRole('button', { name: 'Move age up' }))
    expect(Object.keys((inputs() as { properties: object }).properties)).toEqual(['age', 'name'])
  })

  it('lose one, and that it was required', async () => {
    const { inputs, details, user } = openStart({ name: TEXT, age: TEXT }, ['name'])
    await details('name')
    await user.click(screen.getByRole('button', { name: 'Remove name' }))
    expect(inputs()).toEqual({ type: 'object', properties: { age: TEXT } })
  })

  it('that no row can say are edited as JSON', async () => {
    const { inputs, details, user } = openStart({ any: { anyOf: [TEXT, { type: 'number' }] } })
    await details('any')
    await user.click(screen.getByRole('textbox', { name: 'JSON' }))
    await replace(user, '{"const": 7}')
    expect(inputs()).toEqual({ type: 'object', properties: { any: { const: 7 } } })
  })

  it('take files of the kind that is chosen', async () => {
    const { inputs, details, user } = openStart({ scan: { type: 'object', format: 'file' } })
    await details('scan')
    await user.selectOptions(screen.getByLabelText('Which files'), 'Images')
    expect(inputs()).toEqual({
      type: 'object',
      properties: { scan: { type: 'object', format: 'file', 'x-accept': KINDS.images } },
    })
    await user.selectOptions(screen.getByLabelText('Which files'), 'Any file')
    expect(inputs()).toEqual({ type: 'object', properties: { scan: { type: 'object', format: 'file' } } })
  })
})
