/** The screen of a comparison: the list of changes, the canvas, the chosen change; on a small screen the list alone. */
import './compare.css'
import { Undo2, Upload, X } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { useMay } from '@/api/queries'
import { CanvasProvider, useController } from '@/canvas/CanvasProvider'
import type { Outline } from '@/graph/compare/both'
import { GraphProvider, useGraph, useGraphStore } from '@/graph/context'
import { createGraphStore } from '@/graph/store'
import type { Graph } from '@/graph/types'
import { useT } from '@/i18n'
import { RunViewProvider } from '@/live/run-store'
import { Button, IconButton, Keys, PageBar, Segmented, useActions, useNarrow } from '@/ui'
import { useMedia } from '@/ui/media'
import { ChangeDetail, type TakeBack, TakeButton } from '@/versions/ChangeDetail'
import { ChangeList } from '@/versions/ChangeList'
import { CompareTests } from '@/versions/CompareTests'
import { type Change, kindOf, kindWord, type Names, nodeTitle, titleOfChange } from '@/versions/changes'
import { type SideDocument, sideName } from '@/versions/documents'
import { ChangeFields } from '@/versions/Fields'
import { usePublishAgain } from '@/versions/publish-again'
import { SideFacts } from '@/versions/SideFacts'
import { SidePicker } from '@/versions/SidePicker'
import { type Pair, sameSide, writePair } from '@/versions/sides'
import { CompareCanvas } from './CompareCanvas'
import type { CompareViewProps } from './CompareView'
import { NothingDiffers } from './NothingDiffers'
import { useRestore } from './restoring'

export interface CompareScreenProps extends CompareViewProps {
  readonly pair: Pair
  readonly before: SideDocument
  readonly after: SideDocument
  readonly both: Graph
  readonly outlines: readonly Outline[]
  readonly changes: readonly Change[]
  readonly names: Names
}

/** Which of the documents the canvas shows: both, or one of them alone, to blink between them. */
type Shown = 'both' | 'before' | 'after'
const NEXT: Readonly<Record<Shown, Shown>> = { both: 'before', before: 'after', after: 'both' }

/** No canvas: the list holds the fields. */
const useSmall = (): boolean => useMedia('(max-width: 899px)')

export function CompareScreen(props: CompareScreenProps) {
  const { both, before, after, names } = props
  const [shown, setShown] = useState<Shown>('both')
  const graph = shown === 'both' ? both : shown === 'before' ? before.graph : after.graph
  const [store] = useState(() => {
    const graphStore = createGraphStore(graph)
    graphStore.getState().setReadOnly(true)
    graphStore.getState().setTypes(names.types)
    return graphStore
  })
  useEffect(() => store.getState().setTypes(names.types), [store, names.types])
  useEffect(() => {
    if (store.getState().graph !== graph) store.getState().load(graph)
  }, [store, graph])
  const draft = useGraphStore()
  const restore = useRestore(props, draft)
  return (
    <GraphProvider store={store}>
      <RunViewProvider view={null}>
        <CanvasProvider>
          <Screen {...props} {...restore} shown={shown} onShown={setShown} />
        </CanvasProvider>
      </RunViewProvider>
    </GraphProvider>
  )
}

type Restore = ReturnType<typeof useRestore>

interface ScreenProps extends CompareScreenProps, Restore {
  readonly shown: Shown
  readonly onShown: (shown: Shown) => void
}

/** The chosen change: of a node the one that is selected on the canvas, of everything else the one of the list. */
function useChosen(changes: readonly Change[]) {
  const controller = useController()
  const store = useGraphStore()
  const node = useGraph(({ selection }) => (selection.nodes.length === 1 ? selection.nodes[0] : undefined))
  const [other, setOther] = useState<string | null>(null)
  const key = node === undefined ? other : `node:${node}`
  const chosen = changes.find((change) => change.key === key) ?? null
  const choose = useCallback(
    (change: Change | null) => {
      setOther(change?.key ?? null)
      if (change?.of === 'node') controller.view.reveal(change.item.id)
      else if (change?.of === 'note') controller.view.revealAnnotation(change.item.id)
      else store.getState().select(change?.of === 'edge' ? { edges: [change.item.id] } : {})
    },
    [controller, store],
  )
  const step = (by: 1 | -1) => {
    const index = chosen ? changes.indexOf(chosen) : by > 0 ? -1 : 0
    const next = changes[(index + by + changes.length) % changes.length]
    if (next) choose(next)
  }
  return { chosen, choose, step }
}

function useKeys(props: ScreenProps, step: (by: 1 | -1) => void) {
  const t = useT()
  const { pair, shown, onShown, onAddress, changes } = props
  const controller = useController()
  const group = t('versions.compare')
  const any = () => changes.length > 0
  useActions([
    { id: 'compare.next', title: t('versions.next'), group, keys: 'j', run: () => step(1), when: any },
    {
      id: 'compare.previous',
      title: t('versions.previous'),
      group,
      keys: 'k',
      run: () => step(-1),
      when: any,
    },
    {
      id: 'compare.swap',
      title: t('versions.swap'),
      group,
      keys: 'x',
      run: () => onAddress(writePair({ before: pair.after, after: pair.before })),
    },
    { id: 'compare.blink', title: t('versions.blink'), group, keys: 'b', run: () => onShown(NEXT[shown]) },
    { id: 'compare.leave', title: t('versions.leave'), group, keys: 'escape', run: () => onAddress(null) },
    { id: 'compare.fit', title: t('canvas.fit'), group, keys: 'f', run: () => controller.view.fitAll() },
  ])
}

function Screen(props: ScreenProps) {
  const t = useT()
  const { workflow, pair, before, after, changes, names, published, onAddress, outlines } = props
  const small = useSmall()
  const narrow = useNarrow()
  const { chosen, choose, step } = useChosen(changes)
  useKeys(props, step)
  const { shown, back } = props
  const titleOf = useCallback((node: string) => nodeTitle(node, names), [names])
  const tests = <CompareTests workflow={workflow.id} pair={pair} save={props.save} />
  const picker = (
    <SidePicker
      workflow={workflow.id}
      published={published}
      pair={pair}
      onPair={(next) => onAddress(writePair(next))}
    />
  )
  return (
    <>
      <PageBar
        title={t('versions.compare')}
        crumbs={[
          { label: t('editor.workflows'), href: '/' },
          { label: workflow.name, href: `/workflows/${workflow.id}` },
        ]}
        status={narrow ? null : picker}
      >
        <Actions {...props} />
      </PageBar>
      {narrow ? <div className="compare-strip">{picker}</div> : null}
      <Announced changes={changes} chosen={chosen} names={names} />
      <div className="compare" data-detail={(!small && chosen !== null) || undefined}>
        <nav className="compare-list" aria-label={t('versions.changes')}>
          <div className="compare-list-head">
            <h2>{t('versions.changes')}</h2>
            <span className="text-muted tabular-nums">{t('versions.count', { n: changes.length })}</span>
          </div>
          {small ? (
            <div className="change-sides">
              <SideFacts document={before} />
              <SideFacts document={after} />
            </div>
          ) : null}
          {changes.length === 0 ? <NothingDiffers /> : null}
          <ChangeList
            changes={changes}
            names={names}
            chosen={chosen?.key ?? null}
            onChoose={choose}
            below={small ? (change) => <Below change={change} {...props} /> : undefined}
          />
          {small ? tests : <KeyHints />}
        </nav>
        {small ? null : (
          <div className="compare-area">
            <div className="compare-stage">
              <CompareCanvas
                changes={shown === 'both' ? changes : []}
                outlines={shown === 'both' ? outlines : []}
                titleOf={titleOf}
              />
              <Blink {...props} />
            </div>
            {tests}
          </div>
        )}
        {!small && chosen ? (
          <ChangeDetail
            change={chosen}
            names={names}
            before={before}
            after={after}
            back={back}
            onClose={() => choose(null)}
          />
        ) : null}
      </div>
    </>
  )
}

/** The fields of a change under its row. */
function Below({
  change,
  before,
  after,
  names,
  back,
}: CompareScreenProps & { readonly change: Change; readonly back: TakeBack | null }) {
  const t = useT()
  return (
    <div className="change-below">
      <ChangeFields
        change={change}
        types={names.types}
        sides={{ before: sideName(before.side, t), after: sideName(after.side, t) }}
      />
      <TakeButton change={change} back={back} />
    </div>
  )
}

/** What was chosen by key, for who does not see it. */
function Announced({
  changes,
  chosen,
  names,
}: {
  readonly changes: readonly Change[]
  readonly chosen: Change | null
  readonly names: Names
}) {
  const t = useT()
  const words = useMemo(() => {
    if (!chosen) return ''
    return t('versions.chosen', {
      index: String(changes.indexOf(chosen) + 1),
      all: String(changes.length),
      what: titleOfChange(chosen, names, t),
      kind: kindWord(kindOf(chosen), t),
    })
  }, [changes, chosen, names, t])
  return (
    <p className="sr-only" role="status">
      {words}
    </p>
  )
}

function Blink({ before, after, shown, onShown }: ScreenProps) {
  const t = useT()
  const only = (side: SideDocument): ReactNode => t('versions.only', { side: sideName(side.side, t) })
  return (
    <div className="compare-blink">
      <Segmented<Shown>
        label={t('versions.shown')}
        value={shown}
        onChange={onShown}
        options={[
          { value: 'both', label: t('versions.both') },
          { value: 'before', label: only(before) },
          { value: 'after', label: only(after) },
        ]}
      />
    </div>
  )
}

function KeyHints() {
  const t = useT()
  return (
    <p className="compare-keys" aria-hidden>
      <Keys keys="j" /> <Keys keys="k" /> {t('versions.next')}
      <span className="ml-auto" />
      <Keys keys="x" /> {t('versions.swap_short')}
    </p>
  )
}

/** A button with words, of which a phone shows the icon. */
function Action({
  words,
  icon,
  busy = false,
  onClick,
}: {
  readonly words: string
  readonly icon: ReactNode
  readonly busy?: boolean
  readonly onClick: () => void
}) {
  return (
    <Button icon={icon} busy={busy} aria-label={words} onClick={onClick}>
      <span className="phone:hidden">{words}</span>
    </Button>
  )
}

/** Restoring, publishing again, leaving. */
function Actions({ workflow, before, after, published, onPublished, onAddress, pair, whole }: ScreenProps) {
  const t = useT()
  const may = useMay('editor')
  const version = [before.side, after.side].find(
    (side) => side.kind === 'version' && side.number !== published,
  )
  const again = usePublishAgain(workflow.id, onPublished)
  return (
    <>
      {whole && !sameSide(pair.before, pair.after) ? (
        <Action
          words={t('versions.restore', { side: sideName(whole.from.side, t) })}
          icon={<Undo2 aria-hidden />}
          onClick={whole.restore}
        />
      ) : null}
      {may && version?.kind === 'version' && published !== null ? (
        <Action
          words={t('versions.publish_again', { side: sideName(version, t) })}
          icon={<Upload aria-hidden />}
          busy={again.isPending}
          onClick={() => again.mutate(version.number)}
        />
      ) : null}
      <IconButton label={t('versions.leave')} keys="escape" onClick={() => onAddress(null)}>
        <X />
      </IconButton>
    </>
  )
}
