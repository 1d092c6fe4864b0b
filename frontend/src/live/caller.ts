/** The program that started a run, in words. */
import type { components } from '@/api/schema'
import { visible } from '@/ui/display/visible'

/** By the names that it had: its token's or trigger's, and what it calls itself; empty for a person in the browser. */
export function callerName(caller: components['schemas']['Caller'] | null | undefined): string {
  const names = caller ? [caller.name, caller.program ?? ''] : []
  return visible([...new Set(names)].filter(Boolean).join(' · '))
}
