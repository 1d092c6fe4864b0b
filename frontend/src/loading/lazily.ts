/** Components whose code comes when they are first shown. */
import { type ComponentProps, type ComponentType, createElement, type FunctionComponent, lazy } from 'react'

/** Why a component cannot be shown: its code did not come. Drawn again, it fails again, until it is forgotten. */
export class CodeMissing extends Error {
  /** Lets the component ask anew when it is drawn next. */
  readonly forget: () => void

  constructor(cause: unknown, forget: () => void) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.forget = forget
  }
}

/** For React's `onCaughtError`: what a boundary shows is written to the console, but for code that did not come. */
export function logCaught(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: what React does by itself where nothing else is given
  if (!(error instanceof CodeMissing)) console.error(error)
}

/**
 * A component that is fetched when it is first drawn: React's `lazy`, which never asks twice, made able to try again.
 * Suspends meanwhile; throws `CodeMissing` while drawing if the code does not come.
 */
// biome-ignore lint/suspicious/noExplicitAny: as in React's own `lazy`, for components of any props
export function lazily<Component extends ComponentType<any>>(
  load: () => Promise<{ readonly default: Component }>,
): FunctionComponent<ComponentProps<Component>> {
  const begin = () =>
    lazy(() =>
      load().catch((error: unknown): never => {
        throw new CodeMissing(error, () => {
          Code = begin()
        })
      }),
    )
  let Code = begin()
  return (props) => createElement(Code, props)
}
