/** Forms from JSON Schemas, with values or expressions. Other rooms import from here only. */
export { check, type Finding } from './check'
export { glimpse } from './completion'
export type { FieldErrors } from './context'
export { carriesPath, droppedReference, startDrag } from './dragging'
export { evaluate, isTemplate, parse, pathText, reference, references } from './expression'
export { fieldErrors, localErrors } from './hints'
export { InsertTargetProvider, useInsert } from './insert'
export { ForgetsOwn, goesElsewhere, OwnCredentials, type OwnKeys, ownKeys, WhoseCredentials } from './own'
export { newPair, type Pair, pairsOf, plainOf, secretOf } from './pairs'
export {
  fromPointer,
  isRecord,
  member,
  moved,
  type Path,
  read,
  same,
  toPointer,
  without,
  write,
} from './pointer'
export { SaveFoot } from './SaveFoot'
export { SchemaForm, type SchemaFormProps } from './SchemaForm'
export { type JsonSchema, norm, type Shape, startValue } from './schema'
export {
  childrenOf,
  EMPTY_SCOPE,
  find,
  hasChildren,
  jsonType,
  type Scope,
  type ScopeGroup,
  type ScopeNode,
  standing,
  typeOf,
} from './scope'
export { KeptSecret, Pairs, SecretField, said } from './secret'
export { TemplateInput } from './TemplateInput'
