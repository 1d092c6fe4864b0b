/** Beside the canvas: the chosen change with its fields, and the way back for this one node. */
import { Undo2, X } from 'lucide-react'
import { nodeIcon } from '@/graph/nodes/icons'
import { useT } from '@/i18n'
import { Button, IconButton } from '@/ui'
import { type Change, kindOf, kindWord, MARKS, type Names, titleOfChange } from './changes'
import { type SideDocument, sideName } from './documents'
import { ChangeFields } from './Fields'
import { SideFacts } from './SideFacts'

export interface TakeBack {
  /** The side the node is taken from. */
  readonly from: SideDocument
  readonly take: (node: string) => void
}

/** The button that takes one node from the other side into the draft. */
export function TakeButton({ change, back }: { readonly change: Change; readonly back: TakeBack | null }) {
  const t = useT()
  if (!back || change.of !== 'node') return null
  return (
    <Button icon={<Undo2 aria-hidden />} onClick={() => back.take(change.item.id)}>
      {t('versions.take_from', { side: sideName(back.from.side, t) })}
    </Button>
  )
}

export interface ChangeDetailProps {
  readonly change: Change
  readonly names: Names
  readonly before: SideDocument
  readonly after: SideDocument
  readonly back: TakeBack | null
  readonly onClose: () => void
}

export function ChangeDetail({ change, names, before, after, back, onClose }: ChangeDetailProps) {
  const t = useT()
  const node = change.of === 'node' ? (change.item.after ?? change.item.before) : null
  const Icon = node ? nodeIcon(node) : null
  const title = titleOfChange(change, names, t)
  const kind = kindOf(change)
  const count =
    change.of === 'node'
      ? t('versions.fields_of', {
          n: change.item.fields.length,
          all: change.item.fields.length + change.item.same.length,
        })
      : ''
  return (
    <aside className="change-detail" aria-label={t('versions.detail')}>
      <header>
        {Icon ? (
          <span className="tile">
            <Icon aria-hidden />
          </span>
        ) : null}
        <div className="min-w-0 flex-1">
          <h2 className="truncate">{title}</h2>
          <p className="truncate font-mono text-xs text-muted">
            {[node?.type, count].filter(Boolean).join(' · ')}
          </p>
        </div>
        <span className="change-chip" data-kind={kind}>
          <span aria-hidden>{MARKS[kind]}</span> {kindWord(kind, t)}
        </span>
        <IconButton label={t('common.close')} onClick={onClose}>
          <X />
        </IconButton>
      </header>
      <div className="change-sides">
        <SideFacts document={before} />
        <SideFacts document={after} />
      </div>
      <div className="change-body">
        <ChangeFields
          change={change}
          types={names.types}
          sides={{ before: sideName(before.side, t), after: sideName(after.side, t) }}
        />
      </div>
      {back && change.of === 'node' ? (
        <footer>
          <span className="text-xs text-muted">{t('versions.only_this_node')}</span>
          <TakeButton change={change} back={back} />
        </footer>
      ) : null}
    </aside>
  )
}
