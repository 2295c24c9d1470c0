/**
 * The rooms of the house and the arrows between them: front ends -> service/ -> core rooms -> backend.ts. Which core room
 * may import which is said here, type imports included. The first room that owns a path is its room. A room may always
 * import its own files.
 */
export interface Room {
  readonly name: string;
  /** `$1` in `may` stands for the first group: the folder itself. */
  readonly owns: RegExp;
  readonly may: readonly string[];
}

const contract = ['src/backend.ts', 'src/errors.ts'];
/** Shapes that travel through the service's interface, and the one reading of an exit. They hold no state. */
const shapes = ['src/values/(?:exec-event|exit).ts', 'src/[^/]+/types.ts'];

/** Core rooms, from the ground up: each imports the contract, and of the others these. */
export const coreRooms: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  values: [],
  budget: ['values'],
  inside: ['lib', 'values'],
  redact: [],
  store: ['lib', 'values'],
  journal: ['lib', 'values', 'store'],
  config: ['lib', 'values', 'budget'],
  files: ['lib', 'values', 'budget', 'inside'],
  network: ['lib', 'values', 'config'],
  policy: ['lib', 'values', 'network'],
  secrets: ['lib', 'values', 'inside', 'redact'],
  audit: ['values', 'lib', 'redact', 'store', 'config'],
  egress: ['lib', 'values', 'config', 'store', 'redact', 'audit', 'network'],
  plan: ['lib', 'values', 'config', 'store'],
  exec: ['lib', 'values', 'inside', 'redact', 'store', 'journal'],
  sandbox: [
    'lib',
    'values',
    'budget',
    'inside',
    'store',
    'config',
    'files',
    'secrets',
    'audit',
    'plan',
    'exec',
    'egress',
  ],
  guard: [
    'lib',
    'values',
    'budget',
    'store',
    'config',
    'files',
    'network',
    'policy',
    'redact',
    'secrets',
    'audit',
    'journal',
    'exec',
    'egress',
    'sandbox',
  ],
  access: ['lib', 'values', 'store', 'config', 'audit', 'sandbox'],
};

const folders = (names: readonly string[]): readonly string[] => names.map((name) => `src/${name}/.*`);
const everyCore = folders(Object.keys(coreRooms));

export const rooms: readonly Room[] = [
  { name: 'the error table', owns: /^src\/errors\.ts$/, may: [] },
  { name: 'the contract', owns: /^src\/backend\.ts$/, may: ['src/errors.ts'] },
  {
    name: 'what the package exports',
    owns: /^src\/index\.ts$/,
    may: [...contract, 'src/main.ts', 'src/service/(?:api|open).ts'],
  },
  {
    name: 'the composition root',
    owns: /^src\/main\.ts$/,
    may: [...contract, 'src/service/.*', ...everyCore, 'backends/index.ts', 'images/builder/.*'],
  },
  {
    name: 'the command line through a service',
    owns: /^src\/cli\/service\//,
    may: [
      ...contract,
      ...shapes,
      'src/cli/.*',
      'src/client/.*',
      'src/service/api.ts',
      'src/lib/(?:build|find-home|service-record).ts',
      'src/store/service-claim.ts',
      // Which variables are keys.
      'src/config/(?:defaults|switches).ts',
      // Both sides of a copy are checked, and what a person types is read, as without a service.
      'src/files/.*',
      'src/guard/(?:inside|writes/copies).ts',
      'src/policy/(?:approval/answer|types).ts',
    ],
  },
  {
    name: 'a front end',
    owns: /^src\/(cli|http|mcp|acp|web)\//,
    may: [
      'src/$1/.*',
      'src/service/(?:caisson|api|owned).ts',
      'src/service/verbs/[^/]+.ts',
      'src/main.ts',
      'src/lib/(?:asset|build|find-home|lives|message-lines|nearest|remembered|turns|window-counts).ts',
      // What a running service writes, and the command line reads.
      'src/lib/(?:replace-file|service-record|start-time).ts',
      'src/store/(?:file-lock|service-claim).ts',
      // `caisson acp` and `caisson mcp run` pass messages on.
      'src/acp/(?:agent|asked|serve|workplace).ts',
      'src/mcp/run/(?:serve|snippet).ts',
      'emulators/(?:[^/]+/)?emulator.ts',
      // `caisson serve` starts the service, and in the background not from inside a command.
      'src/http/serve.ts',
      'src/config/home.ts',
      'src/guard/inside.ts',
      // `caisson mcp`, and `/mcp` of the service.
      'src/mcp/stdio.ts',
      'src/mcp/(?:http/endpoint|limits).ts',
      ...contract,
      ...shapes,
    ],
  },
  {
    // The client knows the words of the service alone, and so runs without Node.
    name: 'the client',
    owns: /^src\/client\//,
    may: [
      'src/client/.*',
      'src/errors.ts',
      'src/service/(?:api|types).ts',
      'src/service/verbs/[^/]+.ts',
      'src/exec/(?:heard|types).ts',
      'src/values/(?:exec-event|exit|outcome).ts',
    ],
  },
  { name: 'what emulators give', owns: /^emulators\/emulator\.ts$/, may: [] },
  {
    name: 'an emulator',
    owns: /^emulators\/([^/]+)\//,
    may: ['src/errors.ts', 'src/lib/.*', 'emulators/emulator.ts', 'emulators/$1/.*'],
  },
  { name: 'the service', owns: /^src\/service\//, may: [...contract, 'src/service/.*', ...everyCore] },
  ...Object.entries(coreRooms).map(([name, others]) => ({
    name: `the room ${name}`,
    owns: new RegExp(`^src/${name}/`),
    may: [...contract, `src/${name}/.*`, ...folders(others)],
  })),
  {
    name: 'the list of backends',
    owns: /^backends\/index\.ts$/,
    may: [...contract, 'backends/[^/]+/(?:backend|config).ts'],
  },
  {
    name: 'what backends share',
    owns: /^backends\/shared\//,
    may: [...contract, 'src/(?:lib|values)/.*', 'backends/shared/.*'],
  },
  {
    name: 'a backend',
    owns: /^backends\/([^/]+)\//,
    may: [...contract, 'src/(?:lib|values)/.*', 'backends/shared/.*', 'backends/$1/.*'],
  },
  { name: 'the image builder', owns: /^images\//, may: [...contract, 'src/lib/(?:asset|build).ts', 'images/.*'] },
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
