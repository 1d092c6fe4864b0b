/** Forms from JSON Schemas, with values or expressions. Other rooms import from here only. */

export type { FieldErrors } from './context'
export { glimpse } from './expressions/completion'
export { carriesPath, droppedReference, startDrag } from './expressions/dragging'
export { evaluate, isTemplate, parse, pathText, reference, references } from './expressions/expression'
export { InsertTargetProvider, useInsert } from './expressions/insert'
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
} from './expressions/scope'
export { TemplateInput } from './expressions/TemplateInput'
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
export { check, type Finding } from './schema/check'
export { fieldErrors, localErrors } from './schema/hints'
export { type JsonSchema, norm, type Shape, startValue } from './schema/schema'
export { newPair, type Pair, pairsOf, plainOf, secretOf } from './secrets/pairs'
export { fieldError, KeptSecret, Pairs, SecretField } from './secrets/secret'
export {
  CredentialOwnerField,
  changesOrigin,
  ForgetsUserCredentials,
  readUserCredentials,
  type UserCredentialInput,
  UserCredentials,
} from './secrets/user-credentials'
