/** What the editor shows after its first paint, in one file to load: its panels, its dialogs, the cards' menu. */
export { Inspector } from '@/inspector/Inspector'
export { QuickAdd } from '@/palette/QuickAdd'
export { RunDock } from '@/runs/dock/RunDock'
export { ForkHere } from '@/runs/rerun/ForkHere'
export { DraftNotices } from './draft/DraftNotices'
export { EditorPalette } from './EditorPalette'
export { NodesToFind } from './NodesToFind'
export { nodeEntries } from './node-menu'
