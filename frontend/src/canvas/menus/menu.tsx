/** The context menu: what can be done with what is selected, else with the canvas. Made when it is asked for. */
import {
  AlignCenterHorizontal,
  AlignCenterVertical,
  AlignEndHorizontal,
  AlignEndVertical,
  AlignStartHorizontal,
  AlignStartVertical,
  Ban,
  ClipboardPaste,
  Copy,
  CopyPlus,
  Group,
  Maximize,
  PanelRight,
  Plus,
  Replace,
  Scissors,
  StickyNote,
  Trash2,
  Workflow,
} from 'lucide-react'
import type { CanvasController } from '@/canvas/controller'
import { framesFor } from '@/graph/layout/frames'
import { isFrame } from '@/graph/layout/geometry'
import { nodesById } from '@/graph/lookup'
import { titleOf } from '@/graph/nodes/describe'
import type { GraphNode } from '@/graph/types'
import type { Translate } from '@/i18n'
import type { MenuEntry } from '@/ui'

const ALIGNMENTS = [
  ['left', 'canvas.align_left', AlignStartVertical],
  ['center', 'canvas.align_center', AlignCenterVertical],
  ['right', 'canvas.align_right', AlignEndVertical],
  ['top', 'canvas.align_top', AlignStartHorizontal],
  ['middle', 'canvas.align_middle', AlignCenterHorizontal],
  ['bottom', 'canvas.align_bottom', AlignEndHorizontal],
] as const

const LINE: MenuEntry = { kind: 'separator' }

const screenOf = ({ view }: CanvasController): object => (view.pointer ? { screen: view.pointer } : {})

/** The canvas at the moment its menu is asked for. */
interface Moment {
  readonly controller: CanvasController
  readonly t: Translate
  /** The node that is selected alone. */
  readonly only: GraphNode | undefined
}

const pasteEntry = ({ controller, t }: Moment): MenuEntry => ({
  label: t('canvas.paste'),
  icon: <ClipboardPaste />,
  keys: 'mod+v',
  onSelect: () => void controller.paste(),
})

const tidyEntry = ({ controller, t }: Moment): MenuEntry => ({
  label: t('canvas.tidy'),
  icon: <Workflow />,
  keys: 'mod+l',
  onSelect: () => void controller.tidy(),
})

const fitEntry = ({ controller, t }: Moment): MenuEntry => ({
  label: t('canvas.fit'),
  icon: <Maximize />,
  keys: 'f',
  onSelect: () => controller.view.fit(),
})

const deleteEntry = ({ controller, t }: Moment): MenuEntry => ({
  label: t('canvas.delete'),
  icon: <Trash2 />,
  keys: 'delete',
  danger: true,
  onSelect: () => controller.removeSelection(),
})

/** Nothing is selected: what can be added, and the view. */
function emptyEntries(moment: Moment): readonly MenuEntry[] {
  const { controller, t } = moment
  const { pointer } = controller.view
  const place = pointer ? { screen: pointer, flow: controller.view.toFlow(pointer) } : {}
  return [
    {
      label: t('canvas.add_node'),
      icon: <Plus />,
      keys: '/',
      onSelect: () => controller.openQuickAdd(place),
    },
    { label: t('canvas.add_note'), icon: <StickyNote />, onSelect: () => controller.addNote() },
    pasteEntry(moment),
    LINE,
    tidyEntry(moment),
    fitEntry(moment),
  ]
}

/** Only edges are selected; one alone can be added into. */
function edgeEntries(moment: Moment, edges: readonly string[]): readonly MenuEntry[] {
  const { controller, t } = moment
  const [edge, ...others] = edges
  if (edge === undefined || others.length > 0) return [deleteEntry(moment)]
  return [
    {
      label: t('canvas.add_into_edge'),
      icon: <Plus />,
      keys: '/',
      onSelect: () => controller.openQuickAdd({ ...screenOf(controller), on: edge }),
    },
    LINE,
    deleteEntry(moment),
  ]
}

function toolsEntries({ controller, t, only }: Moment): readonly MenuEntry[] {
  if (!only || !controller.takesTools) return []
  return [
    { label: t('canvas.add_tools'), icon: <Plus />, keys: 't', onSelect: () => controller.chooseTools() },
  ]
}

/** What stands for something missing can be given its place to another. */
function replaceEntries({ controller, t, only }: Moment): readonly MenuEntry[] {
  if (only?.type !== 'placeholder') return []
  return [
    {
      label: t('canvas.replace'),
      icon: <Replace />,
      onSelect: () => controller.openQuickAdd({ ...screenOf(controller), replace: only.id }),
    },
  ]
}

function insideEntries({ controller, t, only }: Moment): readonly MenuEntry[] {
  if (!only || !isFrame(only)) return []
  return [
    {
      label: t('canvas.add_inside'),
      icon: <Plus />,
      onSelect: () => controller.openQuickAdd({ ...screenOf(controller), into: only.id }),
    },
  ]
}

const copyEntries = (moment: Moment): readonly MenuEntry[] => {
  const { controller, t } = moment
  return [
    { label: t('canvas.copy'), icon: <Copy />, keys: 'mod+c', onSelect: () => void controller.copy() },
    { label: t('canvas.cut'), icon: <Scissors />, keys: 'mod+x', onSelect: () => void controller.cut() },
    {
      label: t('canvas.duplicate'),
      icon: <CopyPlus />,
      keys: 'mod+d',
      onSelect: () => controller.duplicate(),
    },
    pasteEntry(moment),
  ]
}

/** Switching nodes off, grouping them, and the way into frames and out of them. */
function nodeEntries({ controller, t, only }: Moment): readonly MenuEntry[] {
  const { graph, selection, types } = controller.graph.getState()
  if (selection.nodes.length === 0) return []
  const inFrame = selection.nodes.some((id) => Boolean(nodesById(graph).get(id)?.parent))
  return [
    LINE,
    ...(only
      ? [
          {
            label: t('canvas.add_branch'),
            icon: <Plus />,
            keys: 'shift+n',
            onSelect: () => controller.addBranch(),
          },
        ]
      : []),
    { label: t('canvas.disable'), icon: <Ban />, keys: 'b', onSelect: () => controller.toggleDisabled() },
    { label: t('canvas.make_group'), icon: <Group />, keys: 'mod+g', onSelect: () => controller.group() },
    ...framesFor(graph, selection.nodes).map((frame) => ({
      label: t('canvas.move_into', { name: titleOf(frame, types) }),
      onSelect: () => void controller.moveInto(frame.id),
    })),
    ...(inFrame ? [{ label: t('canvas.leave_frame'), onSelect: () => void controller.leaveFrame() }] : []),
  ]
}

/** Aligning takes two nodes, distributing three. */
function arrangeEntries(moment: Moment): readonly MenuEntry[] {
  const { controller, t } = moment
  const nodes = controller.graph.getState().selection.nodes.length
  if (nodes < 2) return []
  const distribute = {
    label: t('canvas.distribute_horizontal'),
    onSelect: () => void controller.distribute('horizontal'),
  }
  return [
    LINE,
    ...ALIGNMENTS.map(([how, key, Icon]) => ({
      label: t(key),
      icon: <Icon />,
      onSelect: () => void controller.align(how),
    })),
    ...(nodes > 2 ? [distribute] : []),
    tidyEntry(moment),
  ]
}

export function canvasMenu(
  controller: CanvasController,
  t: Translate,
  onOpen: () => void,
  more: (node: string) => readonly MenuEntry[] = () => [],
): readonly MenuEntry[] {
  const { graph, readOnly, selection } = controller.graph.getState()
  const only = selection.nodes.length === 1 ? nodesById(graph).get(selection.nodes[0] ?? '') : undefined
  const moment: Moment = { controller, t, only }
  const opening: readonly MenuEntry[] = only
    ? [{ label: t('canvas.open'), icon: <PanelRight />, keys: 'enter', onSelect: onOpen }, ...more(only.id)]
    : []
  if (readOnly) return [...opening, fitEntry(moment)]
  if (selection.nodes.length + selection.annotations.length === 0)
    return selection.edges.length === 0 ? emptyEntries(moment) : edgeEntries(moment, selection.edges)
  const first = [...opening, ...replaceEntries(moment), ...toolsEntries(moment), ...insideEntries(moment)]
  return [
    ...first,
    ...(first.length > 0 ? [LINE] : []),
    ...copyEntries(moment),
    ...nodeEntries(moment),
    ...arrangeEntries(moment),
    LINE,
    deleteEntry(moment),
  ]
}
