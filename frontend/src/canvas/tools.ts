/** What the canvas does without at its first paint, in one file to load: the map, dragging, its menus and boxes. */
export { Drag } from './drag/drag'
export { OpenConnectMenu } from './menus/ConnectMenu'
export { OpenFindBox } from './menus/FindBox'
export { canvasMenu } from './menus/menu'
export { Follow } from './overview/Follow'
export { MiniMap } from './overview/MiniMap'
