import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { show } from '@/testing/server'
import { ChangeFields } from './Fields'

it('shows a long text line by line or whole, side by side', async () => {
  const item = { path: 'variables', before: 'one\ntwo\nthree', after: 'one\n2\nthree' }
  show(
    <ChangeFields
      change={{ of: 'document', key: 'document:variables', item }}
      types={new Map()}
      sides={{ before: 'v1', after: 'v2' }}
    />,
  )
  const user = userEvent.setup()
  expect(screen.queryByText('v1:', { exact: false })).toBeNull()
  await user.click(screen.getByRole('radio', { name: 'Side by side' }))
  expect(screen.getByText('v1:', { exact: false }).parentElement?.textContent).toContain('three')
  await user.click(screen.getByRole('radio', { name: 'Lines' }))
  expect(screen.queryByText('v1:', { exact: false })).toBeNull()
})
