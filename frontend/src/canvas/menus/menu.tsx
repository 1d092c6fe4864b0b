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

const screenOf = ({ pointer }: CanvasController): object => (pointer ? { screen: pointer } : {})

export function canvasMenu(
  controller: CanvasController,
  t: Translate,
  onOpen: () => void,
  more: (node: string) => readonly MenuEntry[] = () => [],
): readonly MenuEntry[] {
  const { graph, readOnly, selection, types } = controller.graph.getState()
  const inFrame = selection.nodes.some((id) => Boolean(nodesById(graph).get(id)?.parent))
  const nodes = selection.nodes.length
  const any = nodes + selection.annotations.length > 0
  const only = nodes === 1 ? nodesById(graph).get(selection.nodes[0] ?? '') : undefined
  const pointed = (): object => {
    const { pointer } = controller
    return pointer ? { screen: pointer, flow: controller.toFlow(pointer) } : {}
  }
  const general: MenuEntry[] = [
    { label: t('canvas.fit'), icon: <Maximize />, keys: 'f', onSelect: () => controller.fit() },
  ]
  const opening: MenuEntry[] = only
    ? [{ label: t('canvas.open'), icon: <PanelRight />, keys: 'enter', onSelect: onOpen }, ...more(only.id)]
    : []
  if (readOnly) return [...opening, ...general]
  const tidy: MenuEntry = {
    label: t('canvas.tidy'),
    icon: <Workflow />,
    keys: 'mod+l',
    onSelect: () => void controller.tidy(),
  }
  const pasting: MenuEntry = {
    label: t('canvas.paste'),
    icon: <ClipboardPaste />,
    keys: 'mod+v',
    onSelect: () => void controller.paste(),
  }
  if (!any && selection.edges.length === 0)
    return [
      {
        label: t('canvas.add_node'),
        icon: <Plus />,
        keys: '/',
        onSelect: () => controller.openQuickAdd(pointed()),
      },
      { label: t('canvas.add_note'), icon: <StickyNote />, onSelect: () => controller.addNote() },
      pasting,
      LINE,
      tidy,
      ...general,
    ]
  const removal: MenuEntry = {
    label: t('canvas.delete'),
    icon: <Trash2 />,
    keys: 'delete',
    danger: true,
    onSelect: () => controller.removeSelection(),
  }
  const [edge, ...others] = selection.edges
  const adding: MenuEntry[] =
    edge !== undefined && others.length === 0
      ? [
          {
            label: t('canvas.add_into_edge'),
            icon: <Plus />,
            keys: '/',
            onSelect: () => controller.openQuickAdd({ ...screenOf(controller), on: edge }),
          },
          LINE,
        ]
      : []
  if (!any) return [...adding, removal]
  const items: MenuEntry[] = opening
  if (only && isFrame(only))
    items.push({
      label: t('canvas.add_inside'),
      icon: <Plus />,
      onSelect: () => controller.openQuickAdd({ ...screenOf(controller), into: only.id }),
    })
  if (items.length > 0) items.push(LINE)
  items.push(
    { label: t('canvas.copy'), icon: <Copy />, keys: 'mod+c', onSelect: () => void controller.copy() },
    { label: t('canvas.cut'), icon: <Scissors />, keys: 'mod+x', onSelect: () => void controller.cut() },
    {
      label: t('canvas.duplicate'),
      icon: <CopyPlus />,
      keys: 'mod+d',
      onSelect: () => controller.duplicate(),
    },
    pasting,
  )
  if (nodes > 0) {
    items.push(LINE, {
      label: t('canvas.disable'),
      icon: <Ban />,
      keys: 'b',
      onSelect: () => controller.toggleDisabled(),
    })
    items.push({
      label: t('canvas.make_group'),
      icon: <Group />,
      keys: 'mod+g',
      onSelect: () => controller.group(),
    })
    for (const frame of framesFor(graph, selection.nodes))
      items.push({
        label: t('canvas.move_into', { name: titleOf(frame, types) }),
        onSelect: () => void controller.moveInto(frame.id),
      })
    if (inFrame) items.push({ label: t('canvas.leave_frame'), onSelect: () => void controller.leaveFrame() })
  }
  if (nodes > 1) {
    items.push(
      LINE,
      ...ALIGNMENTS.map(([how, key, Icon]) => ({
        label: t(key),
        icon: <Icon />,
        onSelect: () => void controller.align(how),
      })),
    )
    if (nodes > 2)
      items.push({
        label: t('canvas.distribute_horizontal'),
        onSelect: () => void controller.distribute('horizontal'),
      })
    items.push(tidy)
  }
  items.push(LINE, removal)
  return items
}
