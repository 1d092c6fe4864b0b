/**
 * User events as people make them: a click waits until nothing says that its target is blocked or busy. A click that
 * comes too soon does nothing, and only a busy machine would show it. vitest.config.ts puts it in the library's place.
 */
import { waitFor } from '@testing-library/react'
import library, { type Options, type UserEvent } from '@testing-library/user-event'

export * from '@testing-library/user-event'

const OFF = '[aria-disabled="true"], :disabled'

/** Raises where the target is no more on the page: what took its place is meant. */
async function ready(element: Element): Promise<void> {
  if (element.closest(OFF))
    await waitFor(() => {
      if (element.closest(OFF)) throw new Error(`it stays blocked or busy: ${element.outerHTML}`)
    })
  if (!element.isConnected) throw new Error(`it is no more on the page: ${element.outerHTML}`)
}

const waiting = (user: UserEvent): UserEvent => ({
  ...user,
  click: (element) => ready(element).then(() => user.click(element)),
  dblClick: (element) => ready(element).then(() => user.dblClick(element)),
})

export default {
  ...library,
  ...waiting(library as unknown as UserEvent),
  setup: (options?: Options) => waiting(library.setup(options)),
}
