/** The commands of what is on the page as buttons, for tests: the command palette belongs to the frame around it. */
import { act, waitFor } from '@testing-library/react'
import { textOf, useAllActions } from '@/ui'

/** The commands, as the palette lists them; out of the way of what looks for the buttons of the page. */
export function Commands() {
  const actions = useAllActions()
  return (
    <menu hidden>
      {actions.map((action) => (
        <li key={action.id}>
          <button
            type="button"
            data-command={action.id}
            aria-label={textOf(action.title)}
            onClick={() => action.run()}
          />
        </li>
      ))}
    </menu>
  )
}

/** Do a command of the palette by its id, once the page has it. */
export async function command(id: string): Promise<void> {
  const button = await waitFor(() => {
    const there = document.querySelector<HTMLElement>(`[data-command="${id}"]`)
    if (!there) throw new Error(`there is no command ${id}`)
    return there
  })
  await act(async () => button.click())
}
