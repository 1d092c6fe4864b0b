/** Editors of nodes that read resources and fill prompts, in a chunk of their own. */
export { PromptConfig } from './PromptConfig'
export { ResourceConfig } from './ResourceConfig'
