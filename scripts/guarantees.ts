/**
 * `node scripts/guarantees.ts`: writes docs/guarantees.md from what the backends promise as data. `backends/NAME/promises.ts`
 * gives, by kind of place, what `guarantees()` answers there. A backend without one is named below the table.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { backends } from '../backends/index.ts';
import type { Enforcement, Guarantees } from '../src/backend.ts';

interface Promised {
  readonly backend: string;
  readonly place: string;
  readonly guarantees: Guarantees;
}

const root = new URL('..', import.meta.url);

/** In the order of the names. */
export async function promisesOf(names: readonly string[]): Promise<readonly Promised[]> {
  const all = await Promise.all(
    names.toSorted().map(async (backend) => {
      const file = new URL(`backends/${backend}/promises.ts`, root);
      if (!existsSync(file)) return [];
      // oxlint-disable-next-line typescript/no-unsafe-assignment -- the compiler checks it in the module, whose name is computed
      const { promises }: { promises: Readonly<Record<string, Guarantees>> } = await import(file.href);
      return Object.entries(promises).map(([place, guarantees]) => ({ backend, place, guarantees }));
    }),
  );
  return all.flat();
}

const yes = (value: boolean): string => (value ? 'yes' : 'no');
const limit = (held: Enforcement): string => (held.enforced ? held.by : 'no');

/** `undefined`: by a door. */
function filtering(filter: Guarantees['filter']): string {
  if (filter === undefined) return "Caisson's egress proxy";
  return `a list of the service: at most ${filter.mostHosts} names, on ${filter.ports.join(' and ')}`;
}

const keeping: Readonly<Record<Guarantees['persistence'], string>> = {
  directory: 'in a directory of this host',
  place: 'in the place',
  none: 'no',
};

const rows: readonly (readonly [string, (guarantees: Guarantees) => string])[] = [
  ['isolation', ({ isolation }) => isolation],
  ['cores', ({ limits }) => limit(limits.cpuCores)],
  ['memory', ({ limits }) => limit(limits.memoryBytes)],
  ['processes', ({ limits }) => limit(limits.pids)],
  ['disk', ({ limits }) => limit(limits.diskBytes)],
  ['disk of kept files', ({ persistentDisk }) => yes(persistentDisk === true)],
  ['network modes', ({ network }) => network.toSorted().join(', ')],
  ['`filtered` is held by', ({ network, filter }) => (network.includes('filtered') ? filtering(filter) : '-')],
  ['`none` is measured inside', ({ network, noneBy }) => (network.includes('none') ? yes(noneBy !== 'filter') : '-')],
  ['`open` is kept from this host', ({ refusals }) => (refusals === undefined ? '-' : limit(refusals))],
  ['keeps files of a task', ({ persistence }) => keeping[persistence]],
  ['files go when something else removes it', ({ filesGoWithSandbox }) => yes(filesGoWithSandbox === true)],
  ['loses the files of a sandbox without a task', ({ ephemeral }) => yes(ephemeral)],
  ['lives on without Caisson', ({ survivesRestart }) => yes(survivesRestart)],
  ['a kill by the place reaches', ({ kill }) => `the ${kill}`],
  ['commands of another user', ({ users }) => yes(users !== undefined)],
  ['mounts of host directories', ({ mounts }) => mounts],
  ['credential files', ({ credentials }) => (credentials === 'bind' ? 'shown, on no disk inside' : 'copied')],
  ['read-only root', ({ hardening }) => yes(hardening.readOnlyRoot)],
  ["Caisson's seccomp profile", ({ hardening }) => yes(hardening.seccomp)],
  ['refuses setuid bits in mounts that others reach', ({ hardening }) => yes(hardening.setid?.refused === true)],
  ['another OCI runtime', ({ hardening }) => (hardening.runtimes.length === 0 ? 'no' : 'those of the engine')],
  ['size of /dev/shm', ({ hardening }) => yes(hardening.shm)],
  ['runs as the host user', ({ hardening }) => yes(hardening.hostUser)],
];

const names: Readonly<Record<keyof Guarantees['limits'], string>> = {
  cpuCores: 'cores',
  memoryBytes: 'memory',
  diskBytes: 'disk',
  pids: 'processes',
};

/** `absent`: backends of which nothing can be said ahead. */
export function pageOf(promised: readonly Promised[], absent: readonly string[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const heads = promised.map(({ backend, place }) => `${backend}: ${place}`);
  const lines = [
    '# What each backend guarantees',
    '',
    'Made from the data that core compares with each request (`node scripts/guarantees.ts`); a test fails when this page is',
    'another. What is asked for and not guaranteed is refused, or listed as degraded where that is allowed. `caisson doctor`',
    'and `caisson inspect TASK` show what a place really gives.',
    '',
    line(['', ...heads]),
    line(['---', ...heads.map(() => '---')]),
    ...rows.map(([name, cell]) => line([name, ...promised.map(({ guarantees }) => cell(guarantees))])),
    '',
    '## Why a limit is not held',
    '',
    ...reasons(promised),
    '',
    '## What does not hold for commands of another user',
    '',
    ...unheldForUsers(promised),
    ...(absent.length === 0 ? [] : ['', `Nothing is said ahead of: ${absent.toSorted().join(', ')}.`]),
  ];
  return `${lines.join('\n')}\n`;
}

function reasons(promised: readonly Promised[]): readonly string[] {
  const each = promised.flatMap(({ backend, place, guarantees }) =>
    Object.entries(guarantees.limits).flatMap(([name, held]) =>
      held.enforced ? [] : [{ where: `${backend}, ${place}`, name, reason: held.reason }],
    ),
  );
  return [...Map.groupBy(each, ({ where, reason }) => `${where}\0${reason}`)].map(([, [first, ...rest]]) => {
    const limits = [first, ...rest].flatMap((item) => (item === undefined ? [] : [nameOf(item.name)]));
    return `- ${first?.where ?? ''} (${limits.join(', ')}): ${first?.reason ?? ''}`;
  });
}

/** A backend that has users says the same of all its kinds of place. */
function unheldForUsers(promised: readonly Promised[]): readonly string[] {
  const lines = promised.flatMap(({ backend, guarantees }) =>
    (guarantees.users?.unheld ?? []).map((sentence) => `- ${backend}: ${sentence}`),
  );
  return [...new Set(lines)];
}

function nameOf(limitName: string): string {
  return Object.entries(names).find(([key]) => key === limitName)?.[1] ?? limitName;
}

export async function page(): Promise<string> {
  const known = Object.keys(backends);
  const promised = await promisesOf(known);
  const absent = known.filter((name) => !promised.some(({ backend }) => backend === name));
  return pageOf(promised, absent);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(new URL('docs/guarantees.md', root), await page());
