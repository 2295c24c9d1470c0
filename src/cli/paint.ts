/** Colours, where they are wanted: on a terminal, unless something says otherwise. */

export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
}

export interface ColourWish {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: boolean;
  readonly refused: boolean;
}

const same = (text: string): string => text;
export const plain: Paint = { bold: same, dim: same, red: same, yellow: same, green: same };

/** The option wins, then NO_COLOR (no-color.org), then FORCE_COLOR, then what the stream is. */
export function wantsColour({ env, terminal, refused }: ColourWish): boolean {
  if (refused || (env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return terminal && env['TERM'] !== 'dumb';
}

/** picocolors is loaded only where colours are shown. */
export async function paintFor(wish: ColourWish): Promise<Paint> {
  if (!wantsColour(wish)) return plain;
  const { default: picocolors } = await import('picocolors');
  return picocolors.createColors(true);
}
