/** What servers and nodes give back, on every screen that shows it. Other rooms import from here only. */
export { isAnswer, isContent, showsMore } from './blocks'
export { Content } from './Content'
export { drawn } from './drawn'
export { ErrorFacts } from './ErrorFacts'
export { LongText } from './LongText'
export { Stored } from './Stored'
export { Tree } from './Tree'
export { type Shape, ShapeChoice, ValueView } from './ValueView'
