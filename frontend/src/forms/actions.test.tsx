/** What a person does in a form, control by control: each changes the value, or what is shown, as it says. */
import { createEvent, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { PATH_TYPE } from '@/forms/expressions/dragging'
import { InsertTargetProvider } from '@/forms/expressions/insert'
import { WithHidden } from '@/forms/hidden'
import { SaveFoot } from '@/forms/SaveFoot'
import { SchemaForm, type SchemaFormProps } from '@/forms/SchemaForm'
import type { Pair } from '@/forms/secrets/pairs'
import { Pairs, SecretField } from '@/forms/secrets/secret'
import { show as showSignedIn } from '@/testing/server'

interface Held<T> {
  value: T
}

interface FormProps {
  readonly schema: unknown
  readonly held: Held<unknown>
  readonly more: Partial<SchemaFormProps>
}

function Form({ schema, held, more }: FormProps) {
  const [value, setValue] = useState(held.value)
  const change = (next: unknown) => {
    held.value = next
    setValue(next)
  }
  return (
    <InsertTargetProvider>
      <SchemaForm schema={schema} value={value} onChange={change} {...more} />
    </InsertTargetProvider>
  )
}

function form(
  properties: object,
  value: unknown = {},
  more: Partial<SchemaFormProps> = {},
  required: string[] = [],
) {
  const held: Held<unknown> = { value }
  render(<Form schema={{ type: 'object', properties, required }} held={held} more={more} />)
  return held
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('lists', () => {
  const list = { list: { type: 'array', items: { type: 'integer' } } }

  it('an entry moves down', async () => {
    const held = form(list, { list: [1, 2, 3] })
    const [first] = screen.getAllByRole('button', { name: /^Move .*down/ })
    await userEvent.click(first as HTMLElement)
    expect(held.value).toEqual({ list: [2, 1, 3] })
  })

  it('a long one shows all when asked', async () => {
    form(list, { list: numbers(150) })
    const before = document.querySelectorAll('.form-items input').length
    await userEvent.click(screen.getByRole('button', { name: /^Show/ }))
    expect(document.querySelectorAll('.form-items input').length).toBeGreaterThan(before)
  })
})

describe('objects', () => {
  it('many fields are shown when asked', async () => {
    const names = numbers(150).map((number) => [`field_${number}`, { type: 'string' }])
    form(Object.fromEntries(names))
    expect(screen.queryByText('field_149')).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: /^Show/ }))
    expect(screen.getByText('field_149')).toBeTruthy()
  })

  it('a key of one’s own is added by its button', async () => {
    const held: Held<unknown> = { value: {} }
    render(
      <Form schema={{ type: 'object', additionalProperties: { type: 'string' } }} held={held} more={{}} />,
    )
    await userEvent.click(screen.getByRole('button', { name: 'Add entry' }))
    await userEvent.type(screen.getByRole('textbox', { name: 'Entry name' }), 'mine')
    await userEvent.click(screen.getByRole('button', { name: 'Add' }))
    expect(Object.keys(held.value as object)).toEqual(['mine'])
  })

  it('a new key is given up by Escape', async () => {
    const held: Held<unknown> = { value: {} }
    render(
      <Form schema={{ type: 'object', additionalProperties: { type: 'string' } }} held={held} more={{}} />,
    )
    await userEvent.click(screen.getByRole('button', { name: 'Add entry' }))
    await userEvent.type(screen.getByRole('textbox', { name: 'Entry name' }), 'mine{Escape}')
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(held.value).toEqual({})
  })

  it('a required field takes its default by a click', async () => {
    const held = form({ mode: { type: 'string', default: 'fast' } }, {}, {}, ['mode'])
    await userEvent.click(screen.getByRole('button', { name: /default/ }))
    expect(held.value).toEqual({ mode: 'fast' })
  })
})

describe('choices', () => {
  it('of many variants one is taken from the list', async () => {
    const variants = numbers(6).map((number) => ({
      title: `Kind ${number}`,
      type: 'object',
      properties: { kind: { const: `k${number}` } },
      required: ['kind'],
    }))
    const held = form({ shape: { oneOf: variants } }, { shape: { kind: 'k0' } })
    fireEvent.change(screen.getAllByRole('combobox')[0] as Element, { target: { value: '3' } })
    expect(held.value).toEqual({ shape: { kind: 'k3' } })
  })

  it('what was typed into a long list is shown as its option once one leaves it', async () => {
    const options = numbers(300).map((number) => ({ const: number, title: `Option ${number}` }))
    const held = form({ pick: { oneOf: options } }, { pick: 1 })
    const field = screen.getByRole('combobox')
    fireEvent.change(field, { target: { value: 'Option 7' } })
    expect(held.value).toEqual({ pick: 7 })
    fireEvent.change(field, { target: { value: '' } })
    fireEvent.blur(field)
    expect((field as HTMLInputElement).value).toBe('')
  })

  it('what was typed and not taken is not shown any more once one leaves it', () => {
    const options = numbers(300).map((number) => ({ const: number, title: `Option ${number}` }))
    render(<SchemaForm schema={{ oneOf: options }} value={1} onChange={() => {}} />)
    const field = screen.getByRole<HTMLInputElement>('combobox')
    fireEvent.change(field, { target: { value: 'Option 7' } })
    expect(field.value).toBe('Option 7')
    fireEvent.blur(field)
    expect(field.value).toBe('Option 1')
  })

  it('a file is taken out', async () => {
    const kept = { $file: 'file_1', name: 'cat.png', mime: 'image/png', size: 3 }
    const held: Held<unknown> = { value: { photo: kept } }
    const schema = { type: 'object', properties: { photo: { type: 'object', format: 'file' } } }
    showSignedIn(<Form schema={schema} held={held} more={{}} />)
    await userEvent.click(await screen.findByRole('button', { name: /^Remove the file/ }))
    expect(held.value).toEqual({})
  })

  it('text of several lines, pasted into a line, makes room for it', async () => {
    form({ city: { type: 'string', maxLength: 40 } })
    const field = screen.getByRole('textbox')
    expect(field.tagName).toBe('INPUT')
    fireEvent.paste(field, { clipboardData: { getData: () => 'one\ntwo' } })
    expect(screen.getByRole('textbox').tagName).toBe('TEXTAREA')
  })
})

describe('dragging a value over a field', () => {
  it('marks the field, and no longer when it leaves', () => {
    form({ text: { type: 'string' } }, {}, { mode: 'expression', scope: { groups: [] } })
    const field = document.querySelector('[data-pointer="/text"]') as HTMLElement
    const over = createEvent.dragOver(field)
    Object.defineProperty(over, 'dataTransfer', { value: { types: [PATH_TYPE], dropEffect: 'none' } })
    fireEvent(field, over)
    expect(over.defaultPrevented).toBe(true)
    expect(field.classList.contains('form-drop')).toBe(true)
    fireEvent.dragLeave(field)
    expect(field.classList.contains('form-drop')).toBe(false)
  })
})

function Rows({ held }: { readonly held: Held<readonly Pair[]> }) {
  const [rows, setRows] = useState(held.value)
  const change = (next: readonly Pair[]) => {
    held.value = next
    setRows(next)
  }
  return <Pairs label="Headers" add="Add a header" rows={rows} onRows={change} error={undefined} />
}

describe('pairs', () => {
  it('are added, named, filled, locked, opened and removed', async () => {
    const user = userEvent.setup()
    const held: Held<readonly Pair[]> = { value: [] }
    render(<Rows held={held} />)
    const row = () => held.value[0]
    await user.click(screen.getByRole('button', { name: 'Add a header' }))
    expect(held.value).toHaveLength(1)
    const secret = row()?.secret
    fireEvent.change(screen.getAllByRole('textbox')[0] as Element, { target: { value: 'X-Tenant' } })
    expect(row()?.name).toBe('X-Tenant')
    const typed = () => [...document.querySelectorAll('input')].at(-1) as HTMLInputElement
    fireEvent.change(typed(), { target: { value: 'first' } })
    expect(row()?.value).toBe('first')
    await user.click(
      screen.getByRole('button', { name: secret ? 'Stored as a secret' : 'Stored as plain text' }),
    )
    expect(row()?.secret).toBe(!secret)
    fireEvent.change(typed(), { target: { value: 'second' } })
    expect(row()?.value).toBe('second')
    await user.click(screen.getByRole('button', { name: 'Remove X-Tenant' }))
    expect(held.value).toEqual([])
  })

  it('a secret is seen while one looks', async () => {
    render(<SecretField aria-label="Key" value="k" onChange={() => {}} />)
    const field = screen.getByLabelText('Key') as HTMLInputElement
    expect(field.type).toBe('password')
    await userEvent.click(screen.getByRole('button'))
    expect(field.type).toBe('text')
  })
})

describe('hidden characters', () => {
  it('the field comes by a click, and goes when one leaves it', async () => {
    render(
      <WithHidden text={'a\u200bb'} label="Name" disabled={false} onChange={() => {}}>
        <input aria-label="Name" />
      </WithHidden>,
    )
    fireEvent.click(document.querySelector('.form-marked') as Element)
    const field = screen.getByRole('textbox', { name: 'Name' })
    await waitFor(() => expect(document.activeElement).toBe(field))
    fireEvent.blur(field)
    expect(screen.queryByRole('textbox', { name: 'Name' })).toBeNull()
  })

  it('are taken out by a click', async () => {
    const held = form({ path: { type: 'string' } }, { path: 'a\u200bb' })
    await userEvent.click(screen.getByRole('button', { name: 'Remove the character' }))
    expect(held.value).toEqual({ path: 'ab' })
  })
})

describe('the end of a form', () => {
  it('goes back to what was saved', async () => {
    let reverted = 0
    const revert = () => {
      reverted += 1
    }
    showSignedIn(<SaveFoot dirty saved={false} busy={false} onRevert={revert} />, 'admin')
    await userEvent.click(screen.getByRole('button', { name: 'Revert' }))
    expect(reverted).toBe(1)
  })
})
