/**
 * The rooms of the house and the arrows between them: front ends -> caisson.ts -> core folders -> backend.ts.
 * The first room that owns a path is its room. A room may always import its own files.
 */
export interface Room {
  readonly name: string;
  /** `$1` in `may` stands for the first group: the folder itself. */
  readonly owns: RegExp;
  readonly may: readonly string[];
}

const contract = ['src/backend.ts', 'src/errors.ts'];
/** Shapes that travel through the service's interface, and the one reading of an exit. They hold no state. */
const shapes = ['src/exec/exit.ts', 'src/[^/]+/types.ts'];
const core = '(?:audit|config|spec|sandbox|exec|files|guard|policy|secrets|network|access|store)';

export const rooms: readonly Room[] = [
  { name: 'the error table', owns: /^src\/errors\.ts$/, may: [] },
  { name: 'the contract', owns: /^src\/backend\.ts$/, may: ['src/errors.ts'] },
  { name: 'likely words', owns: /^src\/nearest\.ts$/, may: [] },
  { name: 'clocks', owns: /^src\/clock\.ts$/, may: [] },
  { name: 'failpoints', owns: /^src\/failpoint\.ts$/, may: ['src/errors.ts'] },
  {
    name: 'the composition root',
    owns: /^src\/main\.ts$/,
    may: ['src/[^/]+\\.ts', `src/${core}/.*`, 'backends/index.ts', 'images/builder/.*'],
  },
  {
    name: 'a front end',
    owns: /^src\/(cli|http|mcp|acp|web)\//,
    may: ['src/$1/.*', 'src/(?:caisson|api|errors|main|nearest).ts', 'src/backend.ts', ...shapes],
  },
  {
    name: 'a core folder',
    owns: new RegExp(`^src/(${core})/`),
    may: [...contract, 'src/(?:clock|failpoint|nearest).ts', `src/${core}/.*`],
  },
  { name: 'the service', owns: /^src\/[^/]+\.ts$/, may: ['src/(?!main)[^/]+\\.ts', `src/${core}/.*`] },
  {
    name: 'the list of backends',
    owns: /^backends\/index\.ts$/,
    may: [...contract, 'backends/[^/]+/(?:backend|config).ts'],
  },
  { name: 'what backends share', owns: /^backends\/shared\//, may: [...contract, 'backends/shared/.*'] },
  { name: 'a backend', owns: /^backends\/([^/]+)\//, may: [...contract, 'backends/shared/.*', 'backends/$1/.*'] },
  { name: 'the image builder', owns: /^images\//, may: [...contract, 'images/.*'] },
];

/** `null`: the file is in no room. */
export function roomOf(path: string): { readonly room: Room; readonly may: RegExp } | null {
  for (const room of rooms) {
    const owned = room.owns.exec(path);
    if (owned === null) continue;
    const may = room.may.map((pattern) => pattern.replace('$1', owned[1] ?? ''));
    return { room, may: new RegExp(`^(?:${may.join('|')})$`) };
  }
  return null;
}

/** For people. */
export function allowed(room: Room): string {
  return room.may.length === 0 ? 'nothing of the project' : room.may.join(', ');
}
