/**
 * Stands in for d3-color (vite.config.ts), which d3 takes along to blend colours. On the canvas it moves and zooms
 * only, so nothing is ever recognised as a colour.
 */

/** The colour that a text names: none. A function that `instanceof` accepts, as d3 asks with it. */
export function color(): null {
  return null
}

/** The channels of a colour; nobody gets here, since there are none. */
export function rgb(): { r: number; g: number; b: number; opacity: number } {
  return { r: 0, g: 0, b: 0, opacity: 1 }
}
export { rgb as cubehelix, rgb as hcl, rgb as hsl, rgb as lab }
