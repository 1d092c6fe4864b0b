/** What every part of the trigger's form gets: what is typed, a way to change it, and what is said against a setting. */
import type { TriggerKind } from '@/api/triggers'
import type { Draft, fieldErrors } from './draft'

export interface FormPart {
  readonly kind: TriggerKind
  /** It is there already: what is chosen once stays. */
  readonly exists: boolean
  readonly draft: Draft
  readonly change: (change: Partial<Draft>) => void
  readonly errorOf: ReturnType<typeof fieldErrors>
  /** The names in what is said against `config.inputs.<name>`. */
  readonly badInputs: readonly string[]
}
