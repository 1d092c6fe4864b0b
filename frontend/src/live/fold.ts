/**
 * From the events of a run to what the screen shows.
 *
 * Pure: a state and the events that follow it go in, the next state comes out; nothing given in is changed. Steps are
 * replaced, never mutated, so a component that holds a step knows by identity whether it changed. A state folded up to
 * event n plus the events after n equals the state folded from the whole log, for every n (fold.test.ts); live view,
 * reload and scrubbing therefore are the same thing. Events of unknown type are kept in the log and change nothing.
 *
 * The pieces: fold/state.ts (what there is), fold/run.ts, step.ts, calls.ts, plan.ts (the families of events).
 */

export { type LoggedMessage, messagesOf, toolsOf } from './fold/calls'
export { fold } from './fold/events'
export { RunHistory } from './fold/history'
export * from './fold/state'
export { codePoints, replaceFrom, unitIndex } from './fold/text'
