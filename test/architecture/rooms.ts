/**
 * The rooms of the house and the arrows between them: front ends -> service/ -> core rooms -> backend.ts. Which core room
 * may import which is said here, type imports included. The first room that owns a path is its room. A room may always
 * import its own files.
 * Of another room it may import the doors alone (`doors.ts`).
 */
import { doors } from './doors.ts';

export interface Room {
  readonly name: string;
  /** `$1` in `may` stands for the first group: the folder itself. */
  readonly owns: RegExp;
  readonly may: readonly string[];
}

const contract = ['src/backend.ts', 'src/errors.ts'];
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
  shell: ['lib'],
  policy: ['lib', 'values', 'network', 'shell'],
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
  pool: ['lib', 'values', 'store', 'config', 'plan', 'sandbox', 'egress'],
  guard: [
    'lib',
    'values',
    'budget',
    'store',
    'config',
    'files',
    'network',
    'policy',
    'shell',
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

const allDoors = new Set(['lib', 'values', 'inside']);

/** Patterns of the files of these rooms that others may import. */
const doorsOf = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) =>
    allDoors.has(name) ? [`src/${name}/.*`] : (doors[name] ?? []).map((file) => `src/${name}/${file}.ts`),
  );
const everyCore = doorsOf(Object.keys(coreRooms));

/** What each front end may import beside the contract and its own files. */
const frontEnds: Readonly<Record<string, readonly string[]>> = {
  // Both sides of a copy are checked, and what a person types is read, as without a service.
  'cli/service': [
    'src/cli/.*',
    'src/client/(?:connect|transport|types|unix/transport).ts',
    'src/config/(?:defaults|switches).ts',
    'src/files/(?:byte-name|extract|inside-path|limits|pack|place|progress|source|staging|tar-reader|yield-often).ts',
    'src/guard/(?:inside|types|writes/copies).ts',
    'src/lib/(?:build|find-home|given|service-record).ts',
    'src/policy/(?:approval/answer|types).ts',
    'src/service/api.ts',
    'src/store/service-claim.ts',
    'src/values/asks-elsewhere.ts',
  ],
  // It starts the service and the emulators, and passes messages on for `caisson acp` and `caisson mcp`.
  cli: [
    'emulators/(?:[^/]+/)?emulator.ts',
    'src/acp/(?:agent|asked|serve|workplace).ts',
    'src/client/types.ts',
    'src/config/home.ts',
    'src/guard/(?:inside|types).ts',
    'src/http/serve.ts',
    'src/lib/(?:asset|build|find-home|given|nearest|service-record).ts',
    'src/main.ts',
    'src/mcp/(?:run/serve|run/snippet|stdio).ts',
    'src/policy/types.ts',
    'src/service/api.ts',
    'src/store/service-claim.ts',
    'src/values/asks-elsewhere.ts',
  ],
  http: [
    'src/budget/types.ts',
    'src/lib/(?:asset|build|given|lives|remembered|replace-file|service-record|start-time|traced|turns|window-counts).ts',
    'src/mcp/(?:http/endpoint|limits).ts',
    'src/service/(?:api|owned|verbs/[^/]+).ts',
    'src/store/(?:file-lock|service-claim).ts',
  ],
  mcp: ['src/lib/(?:build|given|message-lines|traced).ts', 'src/service/(?:api|owned).ts'],
  acp: ['src/guard/types.ts', 'src/lib/message-lines.ts', 'src/service/api.ts'],
  // Adapters take the API from their caller, and so run beside the library and the client.
  adapters: ['src/lib/given.ts', 'src/service/api.ts', 'src/values/exit.ts'],
  // The client knows the words of the service alone, and so runs without Node.
  client: [
    'src/service/(?:api|types|verbs/[^/]+).ts',
    'src/exec/heard.ts',
    'src/lib/traced.ts',
    'src/values/(?:exec-event|exit|outcome).ts',
  ],
};

export const rooms: readonly Room[] = [
  { name: 'the error table', owns: /^src\/errors\.ts$/, may: [] },
  { name: 'the contract', owns: /^src\/backend\.ts$/, may: ['src/errors.ts'] },
  {
    name: 'what the package exports',
    owns: /^src\/index\.ts$/,
    may: [...contract, 'src/main.ts', 'src/service/(?:api|library|open).ts'],
  },
  {
    name: 'the composition root',
    owns: /^src\/main\.ts$/,
    may: [...contract, ...doorsOf(['service']), ...everyCore, 'backends/index.ts', 'images/builder/.*'],
  },
  ...Object.entries(frontEnds).map(([name, others]) => ({
    name: `the front end ${name}`,
    owns: new RegExp(`^src/${name}/`),
    may: [...contract, `src/${name}/.*`, ...others],
  })),
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
    may: [...contract, `src/${name}/.*`, ...doorsOf(others)],
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
  // It knows the client by its name in the package, as any page of others would.
  { name: 'the dashboard', owns: /^dashboard\//, may: ['dashboard/.*'] },
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

/** For people: which files of the target's folder the room may import. */
export function allowed(room: Room, target: string): string {
  const folder = target.slice(0, target.indexOf('/', target.indexOf('/') + 1) + 1) || target;
  const files = room.may.filter((pattern) => pattern.startsWith(folder));
  return `of ${folder} ${files.length === 0 ? 'nothing' : files.join(', ')}`;
}
