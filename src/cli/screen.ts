/** The screen of the caller: whether there is one, and its size. */
import type { World } from './world.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export function sizeOf({ stdout }: Pick<World, 'stdout'>): Size {
  // A terminal whose size was never set reports 0.
  return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
}

/** Columns of the screen; `null` where the output goes elsewhere. */
export function screenWidth(world: Pick<World, 'stdout'>): number | null {
  return world.stdout.isTTY === true ? sizeOf(world).columns : null;
}
