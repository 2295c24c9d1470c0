/** The limits of a sandbox as a page of Markdown, which a model can read before it works there. Pure. */
import type { End } from './expiry.ts';
import type { SandboxLimit, SandboxLimits } from './types.ts';

const titles: Readonly<Record<SandboxLimit['name'], string>> = {
  cpuCores: 'CPU cores',
  memoryBytes: 'Memory and swap together',
  diskBytes: 'Disk',
  pids: 'Processes and threads',
};

export function limitsText(page: SandboxLimits): string {
  const { taskId, sandboxId, backend, isolation, cwd } = page;
  return [
    `# Limits of the sandbox of ${plain(taskId)}`,
    '',
    `Sandbox ${plain(sandboxId)} on the backend ${plain(backend)} (isolation: ${isolation}). Commands start in ${plain(cwd)}.`,
    ...section('Resources', page.limits.map(limitLine)),
    ...section('Network', [networkLine(page)]),
    ...section('Files', [readOnlyLine(page), kept[page.kept]]),
    ...section('Time', timeLines(page)),
    '',
  ].join('\n');
}

const section = (title: string, lines: readonly string[]): readonly string[] => [
  '',
  `## ${title}`,
  '',
  ...lines.map((line) => `- ${line}`),
];

function limitLine({ name, wanted, effective, standing, why }: SandboxLimit): string {
  const title = titles[name];
  const reason = why === null ? '' : `: ${plain(why)}`;
  if (standing === 'unlimited') return `${title}: no limit was asked for, and none was found`;
  if (standing === 'not-enforced') return `${title}: NOT enforced${reason}; ${sized(name, wanted)} was asked for`;
  if (standing === 'enforced') return `${title}: ${sized(name, effective)} (enforced${reason}; not measured inside)`;
  const differs = wanted !== null && wanted !== effective ? `; ${sized(name, wanted)} was asked for` : '';
  return `${title}: ${sized(name, effective)} (measured inside${differs})`;
}

const reaches: Readonly<Record<SandboxLimits['network']['mode'], string>> = {
  open: 'outside addresses can be reached',
  observe: 'every public name can be reached, by the proxy on port 3128, and is recorded',
  filtered: 'what the egress rules allow can be reached, by the proxy on port 3128',
  none: 'nothing outside can be reached',
};

function networkLine({ network: { mode, standing, why } }: SandboxLimits): string {
  const byOther =
    standing === 'enforced' && why !== null ? `what the egress rules allow can be reached, ${plain(why)}` : null;
  const says = `${mode}: ${byOther ?? reaches[mode]}`;
  if (standing === 'not-enforced')
    return `${says}; the wanted mode is NOT enforced${why === null ? '' : `: ${plain(why)}`}`;
  return `${says} (${standing === 'measured' ? 'measured inside' : 'as configured; not measured inside'})`;
}

function readOnlyLine({ readOnly }: SandboxLimits): string {
  if (readOnly.length === 0) return 'Read-only: nothing';
  const [first, ...rest] = readOnly;
  const root = first === '/' ? ['/ (all but the working directories and what is mounted)', ...rest] : readOnly;
  return `Read-only: ${root.map(plain).join(', ')}`;
}

const kept: Readonly<Record<SandboxLimits['kept'], string>> = {
  directories:
    'Kept when the sandbox ends by age: files in its persistent directories; everything else is gone. A removal by a caller takes all files',
  all: 'Kept when the sandbox ends by age: its files, where the backend keeps them. A removal by a caller takes what belongs to the sandbox',
  nothing: 'Kept when the sandbox ends: nothing. Copy results out before that',
};

function timeLines({ idleTimeoutMs, lifetimeMs, commandTimeoutMs, endsBy }: SandboxLimits): readonly string[] {
  return [
    `A command without a deadline of its own is killed after: ${lasting(commandTimeoutMs)}`,
    `Without use, the sandbox ends after: ${lasting(idleTimeoutMs)}`,
    `Since its creation, it ends after: ${lasting(lifetimeMs)}`,
    ...(endsBy.length === 0 ? ['Nothing but a caller ends it'] : endsBy.map(endLine)),
  ];
}

function endLine({ by, does, at }: End): string {
  const done = does === 'stop' ? 'stopped; its files stay' : 'removed';
  if (by === 'process') return 'It is removed with the process that made it';
  return by === 'idle'
    ? `If it is not used until ${at ?? 'then'}, it is ${done}`
    : `At ${at ?? 'its end'} it is ${done}`;
}

const lasting = (ms: number | null): string => (ms === null ? 'never' : `${Number((ms / 1000).toFixed(3))} s`);

function sized(name: SandboxLimit['name'], value: number | null): string {
  if (value === null) return 'no limit';
  return name.endsWith('Bytes') ? `${Number((value / 1024 ** 2).toFixed(1))} MiB` : String(value);
}

/** What comes from elsewhere stays on its line. */
// oxlint-disable-next-line no-control-regex -- what a terminal, or a reader of lines, would act on
const plain = (text: string): string =>
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, ' ').slice(0, 512);
