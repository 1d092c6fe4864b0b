/** Everything the canvas can do, with its keys, in the registry that the keyboard, the palette and the help read. */

import { useController } from '@/canvas/CanvasProvider'
import { useCanvasStore } from '@/canvas/state'
import { useGraph, useGraphStore } from '@/graph/context'
import { framesFor, homeOf } from '@/graph/layout/frames'
import { isFrame } from '@/graph/layout/geometry'
import { nodesById } from '@/graph/lookup'
import { titleOf } from '@/graph/nodes/describe'
import { NOTHING } from '@/graph/types'
import { type Key, useT } from '@/i18n'
import { type Action, useActions } from '@/ui'

/** The frames of the graph with their titles; drawn anew only when one of these changes. */
function useFrames(): readonly { id: string; title: string }[] {
  const lines = useGraph((state) =>
    state.graph.nodes
      .filter(isFrame)
      .map((frame) => `${frame.id} ${titleOf(frame, state.types)}`)
      .join('\n'),
  )
  return lines.split('\n').flatMap((line) => {
    const index = line.indexOf(' ')
    return index < 0 ? [] : [{ id: line.slice(0, index), title: line.slice(index + 1) }]
  })
}

/** What makes the actions, and what they ask before they run. */
function useActionMakers() {
  const t = useT()
  const controller = useController()
  const store = useGraphStore()
  const canvas = useCanvasStore()
  const readOnly = useGraph((state) => state.readOnly)
  const group = t('canvas.group_canvas')
  const editing = t('canvas.group_edit')

  /** Letters and arrows count only on the canvas, not where a list or a tab has the focus. */
  const onCanvas = (): boolean => {
    const active = document.activeElement
    return active === null || active === document.body || (controller.view.element?.contains(active) ?? false)
  }
  const hasSelection = (): boolean => {
    const { selection } = store.getState()
    return selection.nodes.length + selection.annotations.length > 0
  }
  const nodes = (least: number) => (): boolean => store.getState().selection.nodes.length >= least
  const viewAction = (
    id: string,
    key: Key,
    keys: string | readonly string[] | undefined,
    run: () => void,
    more: Partial<Action> = {},
  ): Action => ({
    id: `canvas.${id}`,
    title: t(key as 'canvas.fit'),
    group,
    run,
    ...(keys === undefined ? {} : { keys }),
    ...more,
  })
  const editAction = (
    id: string,
    key: Key,
    keys: string | readonly string[] | undefined,
    run: () => void,
    when: () => boolean = () => true,
  ): Action => ({
    ...viewAction(id, key, keys, run),
    group: editing,
    when: () => !readOnly && when(),
  })
  /** Only for the help: the canvas or the browser's own clipboard events do it. */
  const shown = (id: string, title: string, keys: string | readonly string[]): Action => ({
    id: `canvas.${id}`,
    title,
    group: editing,
    keys,
    hidden: true,
    run: () => {},
    when: () => false,
  })
  return {
    t,
    controller,
    store,
    canvas,
    readOnly,
    editing,
    onCanvas,
    hasSelection,
    nodes,
    viewAction,
    editAction,
    shown,
  }
}

type Makers = ReturnType<typeof useActionMakers>

/** Adding, connecting, undo, the clipboard, deleting. */
const editActions = ({
  t,
  controller,
  store,
  canvas,
  editing,
  onCanvas,
  hasSelection,
  viewAction,
  editAction,
  shown,
}: Makers): readonly Action[] => [
  editAction('add', 'canvas.add_node', ['/', 'n'], () => controller.openQuickAdd(), onCanvas),
  editAction(
    'branch',
    'canvas.add_branch',
    'shift+n',
    () => controller.addBranch(),
    () => onCanvas() && store.getState().selection.nodes.length === 1,
  ),
  editAction(
    'add_tools',
    'canvas.add_tools',
    't',
    () => controller.chooseTools(),
    () => onCanvas() && controller.takesTools,
  ),
  editAction(
    'connect',
    'canvas.connect',
    'c',
    () => canvas.setState({ connecting: store.getState().selection.nodes[0] ?? null }),
    () => onCanvas() && store.getState().selection.nodes.length === 1,
  ),
  editAction(
    'undo',
    'canvas.undo',
    'mod+z',
    () => store.getState().undo(),
    () => store.getState().past.length > 0,
  ),
  editAction(
    'redo',
    'canvas.redo',
    ['mod+shift+z', 'mod+y'],
    () => store.getState().redo(),
    () => store.getState().future.length > 0,
  ),
  shown('copy_keys', t('canvas.copy'), 'mod+c'),
  shown('cut_keys', t('canvas.cut'), 'mod+x'),
  shown('paste_keys', t('canvas.paste'), 'mod+v'),
  viewAction('copy', 'canvas.copy', undefined, () => void controller.copy(), {
    when: hasSelection,
    group: editing,
  }),
  editAction('cut', 'canvas.cut', undefined, () => void controller.cut(), hasSelection),
  editAction('paste', 'canvas.paste', undefined, () => void controller.paste()),
  editAction('duplicate', 'canvas.duplicate', 'mod+d', () => controller.duplicate(), hasSelection),
  editAction(
    'delete',
    'canvas.delete',
    ['delete', 'backspace'],
    () => controller.removeSelection(),
    () => onCanvas() && (hasSelection() || store.getState().selection.edges.length > 0),
  ),
]

/** What is done to everything, to what is selected, or beside it. */
const selectionActions = ({ controller, onCanvas, nodes, editAction }: Makers): readonly Action[] => [
  editAction('select_all', 'canvas.select_all', 'mod+a', () => controller.selectAll(), onCanvas),
  editAction('tidy', 'canvas.tidy', 'mod+l', () => void controller.tidy()),
  editAction(
    'disable',
    'canvas.disable',
    'b',
    () => controller.toggleDisabled(),
    () => onCanvas() && nodes(1)(),
  ),
  editAction('note', 'canvas.add_note', undefined, () => controller.addNote()),
  editAction('group', 'canvas.make_group', 'mod+g', () => controller.group(), nodes(1)),
]

/** Into frames and out of them. */
const frameActions = (
  { t, controller, store, readOnly, editing, editAction }: Makers,
  frames: readonly { id: string; title: string }[],
): readonly Action[] => [
  editAction(
    'add_inside',
    'canvas.add_inside',
    undefined,
    () => controller.openQuickAdd({ into: store.getState().selection.nodes[0] ?? '' }),
    () => {
      const { graph, selection } = store.getState()
      const [id, ...more] = selection.nodes
      const node = id === undefined ? undefined : nodesById(graph).get(id)
      return node !== undefined && more.length === 0 && isFrame(node)
    },
  ),
  ...frames.map(
    (frame): Action => ({
      id: `canvas.into.${frame.id}`,
      title: t('canvas.move_into', { name: frame.title }),
      group: editing,
      run: () => void controller.moveInto(frame.id),
      when: () => {
        const { graph, selection } = store.getState()
        return !readOnly && framesFor(graph, selection.nodes).some((node) => node.id === frame.id)
      },
    }),
  ),
  editAction(
    'leave_frame',
    'canvas.leave_frame',
    undefined,
    () => void controller.leaveFrame(),
    () => {
      const { graph, selection } = store.getState()
      return selection.nodes.some((id) => homeOf(graph, id) !== null)
    },
  ),
]

const arrangeActions = ({ controller, nodes, editAction }: Makers): readonly Action[] => [
  editAction('align_left', 'canvas.align_left', undefined, () => void controller.align('left'), nodes(2)),
  editAction(
    'align_center',
    'canvas.align_center',
    undefined,
    () => void controller.align('center'),
    nodes(2),
  ),
  editAction('align_right', 'canvas.align_right', undefined, () => void controller.align('right'), nodes(2)),
  editAction('align_top', 'canvas.align_top', undefined, () => void controller.align('top'), nodes(2)),
  editAction(
    'align_middle',
    'canvas.align_middle',
    undefined,
    () => void controller.align('middle'),
    nodes(2),
  ),
  editAction(
    'align_bottom',
    'canvas.align_bottom',
    undefined,
    () => void controller.align('bottom'),
    nodes(2),
  ),
  editAction(
    'distribute_h',
    'canvas.distribute_horizontal',
    undefined,
    () => void controller.distribute('horizontal'),
    nodes(3),
  ),
  editAction(
    'distribute_v',
    'canvas.distribute_vertical',
    undefined,
    () => void controller.distribute('vertical'),
    nodes(3),
  ),
]

/** Looking around; `onOpen` is Enter on a node. */
const viewActions = (
  { t, controller, store, canvas, onCanvas, hasSelection, viewAction, shown }: Makers,
  onOpen: () => void,
): readonly Action[] => [
  shown('nudge', t('canvas.nudge', { n: 10 }), ['arrowleft', 'arrowright', 'arrowup', 'arrowdown']),
  shown('nudge_far', t('canvas.nudge', { n: 50 }), [
    'shift+arrowleft',
    'shift+arrowright',
    'shift+arrowup',
    'shift+arrowdown',
  ]),
  viewAction('open', 'canvas.open', 'enter', () => controller.enter(onOpen), {
    when: () => onCanvas() && hasSelection(),
  }),
  viewAction(
    'escape',
    'canvas.escape',
    'escape',
    () => {
      canvas.setState({ quickAdd: null, finding: false })
      store.getState().select(NOTHING)
      controller.view.focusCanvas()
    },
    { hidden: true, when: onCanvas },
  ),
  viewAction('find', 'canvas.find', 'mod+f', () => canvas.setState({ finding: true })),
  viewAction(
    'replace',
    'canvas.find_replace',
    'mod+shift+f',
    () => canvas.setState({ finding: true, replacing: true }),
    { when: () => !store.getState().readOnly },
  ),
  viewAction('fit', 'canvas.fit', 'f', () => controller.view.fitAll(), { when: onCanvas }),
  viewAction('fit_selection', 'canvas.fit_selection', 'shift+f', () => controller.view.fitSelection(), {
    when: onCanvas,
  }),
  viewAction('zoom_100', 'canvas.zoom_100', '1', () => controller.view.zoomTo(1), { when: onCanvas }),
  viewAction('zoom_in', 'canvas.zoom_in', undefined, () => controller.view.zoomIn()),
  viewAction('zoom_out', 'canvas.zoom_out', undefined, () => controller.view.zoomOut()),
  viewAction('minimap', 'canvas.toggle_minimap', undefined, () => controller.toggleMinimap()),
  viewAction('follow', 'canvas.toggle_follow', undefined, () => controller.toggleFollow()),
  shown('tab', t('canvas.walk'), ['tab', 'shift+tab']),
]

/** `onOpen` is Enter on a node: the inspector takes the focus. */
export function useCanvasKeys(onOpen: () => void): void {
  const makers = useActionMakers()
  const frames = useFrames()
  useActions([
    ...editActions(makers),
    ...selectionActions(makers),
    ...frameActions(makers, frames),
    ...arrangeActions(makers),
    ...viewActions(makers, onOpen),
  ])
}
