/** Components whose code comes when they are first shown. */
import {
  type ComponentProps,
  type ComponentType,
  createElement,
  type FunctionComponent,
  lazy,
  useState,
} from 'react'

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

interface KeptProps {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the component takes
  readonly choose: () => ComponentType<any>
  readonly props: object
}

/** Keeps what was chosen while it stands: another component would lose what was typed into this one. */
function Kept({ choose, props }: KeptProps) {
  const [Chosen] = useState(choose)
  return createElement(Chosen, props)
}

/** A component whose code can be asked for before it is drawn. */
export interface Late<Props> extends FunctionComponent<Props> {
  /** Fetches the code; what failed is fetched anew by the next one who asks. */
  readonly load: () => Promise<unknown>
}

/**
 * A component that is fetched when it is first drawn, or before by its `load`: React's `lazy`, which never asks twice,
 * made able to try again. Code that has come is drawn at once: React leaves the place of a `lazy` component empty first,
 * and then for 300 ms more. Suspends meanwhile; throws `CodeMissing` while drawing if the code does not come.
 */
// biome-ignore lint/suspicious/noExplicitAny: as in React's own `lazy`, for components of any props
export function lazily<Component extends ComponentType<any>>(
  fetchFile: () => Promise<{ readonly default: Component }>,
): Late<ComponentProps<Component>> {
  let come: Component | null = null
  let coming: Promise<{ readonly default: Component }> | null = null
  const load = () => {
    coming ??= fetchFile().then(
      (file) => {
        come = file.default
        return file
      },
      (error: unknown): never => {
        coming = null
        throw error
      },
    )
    return coming
  }
  const begin = () =>
    lazy(() =>
      load().catch((error: unknown): never => {
        throw new CodeMissing(error, () => {
          Code = begin()
        })
      }),
    )
  let Code = begin()
  const choose = () => come ?? Code
  return Object.assign((props: ComponentProps<Component>) => createElement(Kept, { choose, props }), { load })
}
