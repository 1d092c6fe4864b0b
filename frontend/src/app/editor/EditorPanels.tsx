/** The panels around the canvas, each with the bar that resizes it: palette left, inspector right, dock below. */
import { PanelLeft } from 'lucide-react'
import { Suspense, useEffect, useEffectEvent, useRef } from 'react'
import { useController } from '@/canvas/CanvasProvider'
import { useGraph, useGraphStore } from '@/graph/context'
import { typeTemplate } from '@/graph/nodes/templates'
import { useT } from '@/i18n'
import { IconButton, Skeleton, Splitter } from '@/ui'
import { DrawerButtons, Scrim } from './Drawers'
import { panel } from './load-panels'
import { DOCK, type EditorLayout, type FocusRequest, INSPECTOR, PALETTE, WIDE } from './useEditorLayout'

const EditorPalette = panel((file) => file.EditorPalette)
const Inspector = panel((file) => file.Inspector)

export function PaletteSide({ layout }: { readonly layout: EditorLayout }) {
  const t = useT()
  return (
    <>
      <aside className="editor-palette" data-tip-side="right" aria-label={t('palette.label')}>
        <Suspense fallback={<Skeleton rows={8} />}>
          <EditorPalette readOnly={layout.readOnly} drawer={layout.narrow} onHide={layout.hidePalette} />
        </Suspense>
      </aside>
      {layout.narrow ? null : (
        <div className="editor-left">
          <Splitter
            panel={t('palette.label')}
            orientation="vertical"
            size={layout.paletteWidth}
            onSize={layout.setPaletteWidth}
            {...PALETTE}
          />
        </div>
      )}
    </>
  )
}

/** The buttons over the canvas that bring hidden panels back. */
export function PanelButtons({ layout, selected }: { layout: EditorLayout; selected: string | null }) {
  const t = useT()
  if (layout.narrow)
    return (
      <DrawerButtons
        selected={selected}
        anything={layout.anything}
        readOnly={layout.readOnly}
        onPalette={layout.showPalette}
        onInspector={layout.openInspector}
      />
    )
  if (layout.paletteShown || layout.readOnly) return null
  return (
    <span className="editor-show-palette">
      <IconButton
        variant="plain"
        label={t('palette.show')}
        keys="["
        onClick={() => {
          layout.showPalette()
          layout.setWide(false)
        }}
      >
        <PanelLeft />
      </IconButton>
    </span>
  )
}

/** What can be written in or chosen from, and the button that adds the first row where there is none. */
const FIELDS =
  '[role="tabpanel"] :is(input:not([type="radio"]), textarea, select, [tabindex="0"], .inspector-stack > div > button), [role="textbox"]'

/** Where writing begins: behind the pairs that are chosen already, such as server and tool, provider and model. */
function firstField(inspector: HTMLElement): HTMLElement | undefined {
  const fields = [...inspector.querySelectorAll<HTMLElement>(FIELDS)]
  const begins = (field: HTMLElement) =>
    field.closest('.inspector-pair')
      ? field instanceof HTMLSelectElement && field.value === ''
      : !field.closest('[role="tree"]')
  return fields.find(begins) ?? fields[0]
}

/** Acts once the form stands: some types have an editor whose code comes after the panel's. Returns what calls it off. */
function onceFormStands(inspector: HTMLElement, act: () => void): () => void {
  const stands = () => inspector.querySelector('[data-late]') === null
  if (stands()) {
    act()
    return () => {}
  }
  const observer = new MutationObserver(() => {
    if (!stands()) return
    observer.disconnect()
    act()
  })
  observer.observe(inspector, { childList: true, subtree: true })
  return () => observer.disconnect()
}

/** Takes the focus into the inspector once it stands. Whoever went elsewhere while its code came is left there. */
function InspectorFocus({ request, onDone }: { readonly request: FocusRequest | null; onDone: () => void }) {
  const done = useEffectEvent(onDone)
  const callOff = useRef(() => {})
  useEffect(() => () => callOff.current(), [])
  useEffect(() => {
    if (!request) return
    done()
    callOff.current()
    const inspector = document.querySelector<HTMLElement>('.editor-inspector')
    if (!inspector) return
    callOff.current = onceFormStands(inspector, () => {
      const { activeElement } = document
      if (activeElement !== request.from && activeElement !== document.body) return
      const target = firstField(inspector) ?? inspector.querySelector<HTMLElement>('button')
      target?.focus()
    })
  }, [request])
  return null
}

/** Adds a node on the way into another one, where only one leads there. */
function useAddBefore() {
  const controller = useController()
  const store = useGraphStore()
  return (way: 'http' | 'tool', node: string) => {
    const { graph, types } = store.getState()
    const [into, ...others] = graph.edges.filter((edge) => edge.target === node)
    const place = into && others.length === 0 ? { on: into.id } : {}
    if (way === 'tool') controller.openQuickAdd({ ...place, tools: true })
    else controller.insert(typeTemplate('http', types.get('http')?.title ?? 'HTTP'), place)
  }
}

interface InspectorSideProps {
  readonly layout: EditorLayout
  /** Runs the draft up to a node, where that may be done. */
  readonly onRun: ((node: string) => void) | undefined
}

export function InspectorSide({ layout, onRun }: InspectorSideProps) {
  const t = useT()
  const controller = useController()
  const problems = useGraph((state) => state.problems)
  const addBefore = useAddBefore()
  return (
    <>
      {layout.narrow ? null : (
        <div className="editor-right">
          <Splitter
            panel={t('editor.inspector')}
            orientation="vertical"
            after
            size={layout.inspectorWidth}
            onSize={layout.setInspectorWidth}
            {...(layout.wide ? WIDE : INSPECTOR)}
          />
        </div>
      )}
      <div className="editor-inspector">
        <Suspense fallback={<Skeleton rows={5} row={52} />}>
          <Inspector
            problems={problems}
            readOnly={layout.readOnly}
            wide={layout.wide}
            onWide={layout.setWide}
            onRun={onRun}
            onAddBefore={addBefore}
            renaming={layout.renaming}
            onRenamed={layout.renamed}
            onEscape={() => controller.view.focusCanvas()}
            onClose={layout.closeInspector}
          />
          <InspectorFocus request={layout.focus} onDone={layout.focusDone} />
        </Suspense>
      </div>
    </>
  )
}

export function DockSplitter({ layout }: { readonly layout: EditorLayout }) {
  const t = useT()
  return (
    <div className="editor-bar">
      <Splitter
        panel={t('editor.dock')}
        orientation="horizontal"
        after
        size={layout.dockHeight}
        onSize={layout.setDockHeight}
        {...DOCK}
      />
    </div>
  )
}

/** The page behind an open drawer. */
export function DrawerScrim({ layout }: { readonly layout: EditorLayout }) {
  return layout.narrow && layout.drawer.open ? <Scrim onClose={layout.drawer.close} /> : null
}
