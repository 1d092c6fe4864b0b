/** Editors of nodes that fetch and shape data, in a chunk of their own. */
export { HttpConfig } from './HttpConfig'
export { AggregateConfig, ListConfig } from './lists'
