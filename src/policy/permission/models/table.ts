/** The options of a model, ready to look up. Each list is read once, when a rule first needs it. */

export interface Option {
  /** `none`: it takes no value. `glued`: only one that is glued to it. `needed`: glued, or else the next word. */
  readonly value: 'none' | 'glued' | 'needed';
  readonly kind: string;
}

export type Table = ReadonlyMap<string, Option>;

const tables = new Map<string, Table>();
const entry = /^(-{1,2}[^:?]+)([:?]?)(\w*)$/;
const digits = Array.from('0123456789', (digit) => `-${digit}`);

export function parseTable(options: string): Table {
  const known = tables.get(options);
  if (known !== undefined) return known;
  const table = new Map(options.split(/\s+/).flatMap(parseOptions));
  tables.set(options, table);
  return table;
}

function parseOptions(text: string): readonly (readonly [string, Option])[] {
  if (text === '-NUM') return digits.map((name) => [name, { value: 'glued', kind: 'measure' }] as const);
  const [, name, mark, kind = ''] = entry.exec(text) ?? [];
  if (name === undefined) return [];
  return [[name, { value: mark === ':' ? 'needed' : mark === '?' ? 'glued' : 'none', kind: kind || 'any' }]];
}
