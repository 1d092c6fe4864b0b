/** Values inside of a tree that mean something as a whole: files, and blocks that hold bytes or lead somewhere. */
import type { ReactNode } from 'react'
import { isRef } from '@/api/run-types'
import { fileIn } from '@/files'
import { translate } from '@/i18n'
import { Block } from './Blocks'
import { isBlock } from './blocks'
import { Stored } from './Stored'
import { Tree } from './Tree'

/** What stands for the value; undefined for those that are rows like others. */
export function drawn(value: unknown): ReactNode | undefined {
  const file = fileIn(value)
  if (file !== undefined) return file
  if (isRef(value)) {
    return (
      <div className="result-inside">
        <Stored stored={value} label={translate('results.answer')} onDemand>
          {(whole) => <Tree value={whole} />}
        </Stored>
      </div>
    )
  }
  if (!isBlock(value)) return undefined
  return (
    <div className="result-inside">
      <Block block={value} label={translate('results.text')} />
    </div>
  )
}
