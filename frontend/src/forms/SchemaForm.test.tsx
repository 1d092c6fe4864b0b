import { cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { PATH_TYPE } from './expressions/dragging'
import { InsertTargetProvider, useInsert } from './expressions/insert'
import type { Scope } from './expressions/scope'
import { SchemaForm, type SchemaFormProps } from './SchemaForm'
import { SCHEMAS } from './schema/schemas.testing'

const scope: Scope = {
  groups: [
    {
      key: 'start',
      title: 'Start',
      names: [
        { name: 'url', path: ['start', 'url'], schema: { type: 'string' }, value: 'https://example.org' },
        { name: 'count', path: ['start', 'count'], schema: { type: 'integer' }, value: 4 },
        { name: 'later', path: ['start', 'later'], schema: { type: 'string' } },
      ],
    },
  ],
}

interface Seen {
  value: unknown
}

function Holder({ schema, seen, props }: { schema: unknown; seen: Seen; props: Partial<SchemaFormProps> }) {
  const [value, setValue] = useState<unknown>(seen.value)
  return (
    <InsertTargetProvider>
      <SchemaForm
        schema={schema}
        value={value}
        onChange={(next) => {
          seen.value = next
          setValue(next)
        }}
        {...props}
      />
      <Inserter />
    </InsertTargetProvider>
  )
}

function Inserter() {
  const insert = useInsert()
  return (
    <button type="button" onClick={() => insert('{{ start.url }}')}>
      insert
    </button>
  )
}

/** A form whose value is at hand. */
function show(schema: unknown, initial: unknown = {}, props: Partial<SchemaFormProps> = {}): Seen {
  const seen: Seen = { value: initial }
  render(<Holder schema={schema} seen={seen} props={props} />)
  return seen
}

describe.each(['plain', 'expression'] as const)('in mode %s', (mode) => {
  it.each(Object.keys(SCHEMAS))('renders %s, empty and filled with nonsense', (name) => {
    const schema = SCHEMAS[name]
    for (const value of [
      undefined,
      {},
      null,
      'text',
      [1],
      { path: 5, files: 'x', filter: [], root: null, shape: { kind: 'box' }, point: [1] },
    ]) {
      const { unmount } = render(
        <SchemaForm schema={schema} value={value} onChange={() => {}} mode={mode} scope={scope} />,
      )
      unmount()
    }
  })
})

describe('values', () => {
  it('say their limits after what they are for, with a point where no sentence has ended', () => {
    const limits = { type: 'integer', minimum: 1, maximum: 9 }
    show({
      type: 'object',
      properties: {
        rounds: { ...limits, description: 'Then it answers.' },
        turns: { ...limits, description: '之后必须回答。' },
        days: { ...limits, description: 'How many days' },
      },
    })
    for (const said of ['Then it answers. 1 to 9', '之后必须回答。1 to 9', 'How many days · 1 to 9'])
      expect(screen.getByText(said)).toBeTruthy()
  })

  it('never hold keys that were left unset', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.git_log)
    await user.type(screen.getByLabelText('repo_path'), '/srv')
    expect(form.value).toEqual({ repo_path: '/srv' })
    await user.type(screen.getByLabelText('max_count'), '3')
    expect(form.value).toEqual({ repo_path: '/srv', max_count: 3 })
    await user.clear(screen.getByLabelText('max_count'))
    expect(form.value).toEqual({ repo_path: '/srv' })
  })
  it('keep a required text that was emptied on purpose', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.write_file, { path: 'a', content: 'b' })
    await user.clear(screen.getByLabelText('content'))
    expect(form.value).toEqual({ path: 'a', content: '' })
  })
  it('show the default as a placeholder, and the limits in words', () => {
    show(SCHEMAS.getResourceLinks)
    expect(screen.getByLabelText('count')).toHaveProperty('placeholder', '3')
    expect(screen.getByText('1 to 10 · default 3')).toBeTruthy()
  })
  it('take numbers as they are typed, and keep what is none', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.add)
    await user.type(screen.getByLabelText('a'), '-1.50')
    expect(form.value).toEqual({ a: -1.5 })
    expect(screen.getByLabelText('a')).toHaveProperty('value', '-1.50')
    await user.type(screen.getByLabelText('b'), '12x')
    expect(form.value).toEqual({ a: -1.5, b: '12x' })
  })
  it('step with the arrow keys between the limits', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.getResourceReference, { resourceId: 99 })
    await user.type(screen.getByLabelText('resourceId'), '{ArrowUp}{ArrowUp}{ArrowUp}')
    expect(form.value).toEqual({ resourceId: 100 })
  })
  it('switch a boolean, and take it back to unset', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.annotatedMessage)
    await user.click(screen.getByRole('switch', { name: 'includeImage' }))
    expect(form.value).toEqual({ includeImage: true })
    await user.click(screen.getByRole('button', { name: 'Unset includeImage' }))
    expect(form.value).toEqual({})
  })
  it('choose from an enum and unset it', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.unions)
    await user.selectOptions(screen.getByLabelText('level'), 'High: slower')
    expect(form.value).toEqual({ level: 2 })
    await user.selectOptions(screen.getByLabelText('level'), 'not set')
    expect(form.value).toEqual({})
  })
  it('find one of five thousand by typing', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.huge_enum)
    await user.type(screen.getByLabelText('code'), 'code-4321')
    expect(form.value).toEqual({ code: 'code-4321' })
  })
  it('add, fill, move and remove items', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.read_multiple_files)
    await user.click(screen.getByRole('button', { name: 'Add item' }))
    await user.type(screen.getByLabelText('Item 1'), 'a')
    await user.click(screen.getByRole('button', { name: 'Add item' }))
    await user.type(screen.getByLabelText('Item 2'), 'b')
    expect(form.value).toEqual({ paths: ['a', 'b'] })
    await user.click(screen.getByRole('button', { name: 'Move Item 2 up' }))
    expect(form.value).toEqual({ paths: ['b', 'a'] })
    await user.click(screen.getByRole('button', { name: 'Remove Item 1' }))
    expect(form.value).toEqual({ paths: ['a'] })
  })
  it('open an optional object only when it is set, so recursion ends', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.tree)
    await user.click(screen.getByRole('button', { name: /Set parent/ }))
    expect(form.value).toEqual({ root: { parent: {} } })
    expect(screen.getAllByRole('button', { name: /Set parent/ })).toHaveLength(1)
    await user.click(screen.getByRole('button', { name: 'Unset parent' }))
    expect(form.value).toEqual({ root: {} })
  })
  it('change the variant with its constants', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.unions)
    await user.click(screen.getByRole('button', { name: /Set shape/ }))
    expect(form.value).toEqual({ shape: { kind: 'circle' } })
    await user.click(screen.getByRole('radio', { name: 'kind: box' }))
    expect(form.value).toEqual({ shape: { kind: 'box' } })
    await user.type(screen.getByLabelText('width'), '2')
    expect(form.value).toEqual({ shape: { kind: 'box', width: 2 } })
  })
  it('hold free keys in rows', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.maps)
    await user.click(screen.getByRole('button', { name: /Set labels/ }))
    const labels = screen.getByRole('group', { name: 'labels' })
    await user.click(within(labels).getByRole('button', { name: 'Add entry' }))
    await user.type(within(labels).getByLabelText('Entry name'), '__proto__{Enter}')
    await user.type(within(labels).getByLabelText('__proto__'), 'x')
    expect(JSON.stringify(form.value)).toBe('{"labels":{"__proto__":"x"}}')
    await user.click(within(labels).getByRole('button', { name: 'Remove __proto__' }))
    expect(form.value).toEqual({ labels: {} })
  })
  it('take anything as JSON and change nothing while it is none', () => {
    const form = show(SCHEMAS.untyped)
    const box = screen.getByLabelText('a')
    fireEvent.change(box, { target: { value: '{"x": [1]}' } })
    expect(form.value).toEqual({ a: { x: [1] } })
    fireEvent.change(box, { target: { value: '{"x": [1' } })
    expect(form.value).toEqual({ a: { x: [1] } })
    expect(screen.getByText(/Not valid JSON yet/)).toBeTruthy()
  })
  it('keep keys that the schema does not list', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.get_current_time, { timezone: 'UTC', extra: 1 })
    await user.type(screen.getByLabelText('timezone'), '+1')
    expect(form.value).toEqual({ timezone: 'UTC+1', extra: 1 })
    expect(screen.getByLabelText('extra')).toBeTruthy()
  })
  it('show errors at their fields', () => {
    show(SCHEMAS.git_log, {}, { errors: { '/repo_path': ['This is required.'], '': ['Something else.'] } })
    const field = screen.getByLabelText('repo_path')
    expect(field.getAttribute('aria-invalid')).toBe('true')
    const described = document.getElementById(field.getAttribute('aria-describedby')?.split(' ')[0] ?? '')
    expect(described?.textContent).toBe('This is required.')
    expect(screen.getByRole('alert').textContent).toBe('Something else.')
  })
  it('show a screen of a field list, and the rest when asked', async () => {
    const user = userEvent.setup()
    show(SCHEMAS.wide)
    expect(screen.getAllByRole('spinbutton')).toHaveLength(30)
    await user.type(screen.getByLabelText('Search 3,000 fields'), 'field_2998')
    expect(screen.getAllByRole('spinbutton')).toHaveLength(1)
  })
})

describe('expressions', () => {
  const items = {
    type: 'object',
    properties: { items: { type: 'array', items: { 'x-expression': true }, 'x-expression': true } },
    required: ['items'],
  }
  const marked = { mode: 'expression', expressions: 'marked', scope } as const

  /** Writes into the box of an expression, as it is before its editor is there. */
  function write(text: string): void {
    const box = () => screen.getByRole('textbox', { name: 'items' })
    for (const key of text) fireEvent.keyDown(box(), { key })
  }

  it('store a list that is written as JSON as a list, and show its items the next time', () => {
    const form = show(items, {}, marked)
    write('["a", 2]')
    expect(screen.getByRole('textbox', { name: 'items' }).textContent).toBe('["a", 2]')
    expect(form.value).toEqual({ items: ['a', 2] })
    cleanup()
    show(items, form.value, marked)
    expect(screen.getAllByText(/^Item \d$/)).toHaveLength(2)
  })

  it('show a text that is no list where it was written, the next time too', async () => {
    const form = show(items, { items: '["a", 2' }, marked)
    expect(screen.getByRole('textbox', { name: 'items' }).textContent).toBe('["a", 2')
    write(']')
    expect(form.value).toEqual({ items: ['a', 2] })
    await userEvent.click(screen.getByRole('radio', { name: 'Value' }))
    expect(screen.getAllByText(/^Item \d$/)).toHaveLength(2)
  })

  it('show what they give and whether it fits', () => {
    show(SCHEMAS.getResourceReference, { resourceId: '{{ start.url }}' }, { mode: 'expression', scope })
    expect(screen.getByText('= "https://example.org"')).toBeTruthy()
    expect(screen.getByText('gives string, needs number')).toBeTruthy()
  })
  it('name what does not exist upstream', () => {
    show(SCHEMAS.echo, { message: 'see {{ nowhere.x }}' }, { mode: 'expression', scope })
    expect(screen.getByText('nowhere.x does not exist upstream.')).toBeTruthy()
    expect(document.querySelector('.expression')?.getAttribute('data-unknown')).toBe('true')
  })
  it('come and go by the switch, each side keeping its content', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.getResourceReference, { resourceId: 7 }, { mode: 'expression', scope })
    await user.click(screen.getByRole('radio', { name: 'Expression' }))
    expect(form.value).toEqual({})
    await user.click(screen.getByRole('radio', { name: 'Value' }))
    expect(screen.getByRole('spinbutton', { name: 'resourceId' })).toBeTruthy()
  })
  it('start when {{ is typed into a plain field', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.add, {}, { mode: 'expression', scope })
    await user.type(screen.getByLabelText('a'), '{{{{')
    expect(form.value).toEqual({ a: '{{  }}' })
  })
  it('are dropped on a field from the input tree', () => {
    const form = show(SCHEMAS.add, { a: 1 }, { mode: 'expression', scope })
    const field = screen.getByLabelText('a').closest('[data-pointer]')
    if (!field) throw new Error('no field')
    const dataTransfer = {
      types: [PATH_TYPE],
      getData: (type: string) => (type === PATH_TYPE ? '["start","count"]' : ''),
      dropEffect: '',
    }
    fireEvent.dragOver(field, { dataTransfer })
    fireEvent.drop(field, { dataTransfer })
    expect(form.value).toEqual({ a: '{{ start.count }}' })
  })
  it('are put into the field that was focused last', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.echo, { message: 'see' }, { mode: 'expression', scope })
    await user.click(screen.getByLabelText('message'))
    await user.click(screen.getByRole('button', { name: 'insert' }))
    expect(form.value).toEqual({ message: 'see {{ start.url }}' })
  })
  it('take the place of a number in the field that was focused last', async () => {
    const user = userEvent.setup()
    const form = show(SCHEMAS.add, { a: 1, b: 2 }, { mode: 'expression', scope })
    await user.click(screen.getByLabelText('b'))
    await user.click(screen.getByRole('button', { name: 'insert' }))
    expect(form.value).toEqual({ a: 1, b: '{{ start.url }}' })
  })
  it('stay plain text where a form holds values only', () => {
    show(SCHEMAS.echo, { message: '{{ x }}' })
    expect(screen.getByLabelText('message').tagName).toBe('TEXTAREA')
    expect(screen.queryByRole('radio')).toBeNull()
  })
})
