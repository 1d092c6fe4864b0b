/** The switches in the page: which action is off, and which were reached. */

// biome-ignore lint/suspicious/noExplicitAny: a handler takes and gives what it likes
type Handler = (...values: any[]) => any

export interface Switches {
  /** The action that does nothing now. */
  disabled: string | null
  /** What was reached since this was emptied. */
  readonly reached: Set<string>
  wrap(id: string, handler: unknown): unknown
  off(id: string): boolean
  /** How many milliseconds a test waits for what it awaits. */
  patience(ms: number): void
  unmade(id: string, make: () => unknown, graph: unknown): unknown
}

function createSwitches(): Switches {
  const wrapped = new WeakMap<Handler, Map<string, Handler>>()
  const inside = new Set<string>()
  return {
    disabled: null,
    reached: new Set(),
    patience: () => {},
    /** The same wrapper for the same function, so that nothing is drawn anew because of it. */
    wrap(id, handler) {
      if (typeof handler !== 'function') return handler
      const known = wrapped.get(handler as Handler) ?? new Map<string, Handler>()
      wrapped.set(handler as Handler, known)
      const made = known.get(id) ?? guarded(this, id, handler as Handler)
      known.set(id, made)
      return made
    },
    off(id) {
      if (inside.has(id)) return false
      this.reached.add(id)
      return this.disabled === id
    },
    /** What an edit made, with the graph as it was. */
    unmade(id, make, graph) {
      inside.add(id)
      try {
        const value = make()
        return value && typeof value === 'object' ? { ...value, graph } : value
      } finally {
        inside.delete(id)
      }
    },
  }
}

function guarded(switches: Switches, id: string, handler: Handler): Handler {
  const isAsync = handler.constructor.name === 'AsyncFunction'
  return function action(this: unknown, ...values) {
    if (switches.off(id)) return isAsync ? Promise.resolve() : undefined
    return handler.apply(this, values)
  }
}

declare global {
  var survivors: Switches
}

globalThis.survivors ??= createSwitches()
