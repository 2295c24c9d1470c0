/** One command by Caisson, on each of its paths. */
import { Readable, type Writable } from 'node:stream';
import type { ByteSink } from '../../src/client/index.ts';
import {
  type CaissonApi,
  type Exit,
  type Running,
  type RunningText,
  shellCode,
  signalNumbers,
} from '../../src/service/api.ts';
import type { Host } from '../mcp/hosts.ts';
import type { Case } from './case.ts';
import type { Outcome } from './outcome.ts';
import type { Path } from './path.ts';
import { stdinOf } from './stdin.ts';

/** Files are looked at afterwards. */
export type Answer = Omit<Outcome, 'files'>;

export interface Ours {
  /** Runs commands through lanes. */
  readonly library: Library;
  /** Runs commands on the state directory of `library`, without lanes. */
  readonly direct: Library;
  readonly client: Library;
  readonly mcp: Pick<Host, 'call'>;
  readonly taskId: string;
}

/** What is asked of the API here, so that a defect can stand between. */
export interface Library {
  readonly execs: Pick<CaissonApi['execs'], 'logs'> & {
    start(...args: Parameters<CaissonApi['execs']['start']>): Promise<OracleProcess>;
  };
  readonly sessions: Pick<CaissonApi['sessions'], 'close'> & {
    exec(...args: Parameters<CaissonApi['sessions']['exec']>): Promise<OracleProcess & Pick<RunningText, 'session'>>;
  };
  readonly processes: Pick<CaissonApi['processes'], 'start' | 'input' | 'wait'>;
}

/** A process of the library, or of the client of a service. */
export interface OracleProcess extends Pick<Running, 'exit'> {
  readonly stdin: Writable | ByteSink | null;
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
}

export interface Run {
  readonly case: Case;
  readonly directory: string;
}

type Runner = (ours: Ours, run: Run) => Promise<Answer>;

export const runners: Readonly<Record<Path, Runner>> = {
  direct: async (ours, run) => await started(ours.direct, ours.taskId, run),
  lane: async (ours, run) => await started(ours.library, ours.taskId, run),
  ready: async (ours, run) => await started(ours.library, ours.taskId, run),
  service: async (ours, run) => await started(ours.client, ours.taskId, run),
  terminal: async (ours, run) => await started(ours.library, ours.taskId, run, { columns: 80, rows: 24 }),
  session: inSession,
  code: asProgram,
  detached: inBackground,
  mcp: byTool,
};

export const textOf = ({ case: { steps } }: Run): string => steps.join('\n');

const command = (run: Run): readonly [string, ...string[]] => ['bash', '-c', textOf(run)];

async function started(
  { execs }: Library,
  taskId: string,
  run: Run,
  tty: { readonly columns: number; readonly rows: number } | null = null,
): Promise<Answer> {
  const { stdin } = run.case;
  const how = { ...(stdin === null ? {} : { stdin: true }), ...(tty === null ? {} : { tty }) };
  const running = await execs.start({ taskId, command: command(run), cwd: run.directory, ...how });
  if (stdin !== null && running.stdin !== null) void fed(running.stdin, stdinOf(stdin));
  return await collected(running, run.case);
}

/** The command may end before it has read all. */
async function fed(stdin: Writable | ByteSink, bytes: Buffer): Promise<void> {
  if ('on' in stdin) {
    stdin.on('error', () => undefined);
    stdin.end(bytes);
    return;
  }
  await stdin.write(bytes).catch(() => undefined);
  await stdin.end().catch(() => undefined);
}

async function asProgram({ library, taskId }: Ours, run: Run): Promise<Answer> {
  const text = `cd ${quoted(run.directory)} || exit\n${textOf(run)}`;
  return await collected(await library.execs.start({ taskId, code: { language: 'bash', text } }), run.case);
}

let sessions = 0;

/** The first text goes to the directory; what the steps write is put together, and the last one that ran tells the end. */
async function inSession({ library, taskId }: Ours, { case: own, directory }: Run): Promise<Answer> {
  sessions += 1;
  const name = `s${sessions}`;
  const answers: Answer[] = [];
  try {
    await collected(await library.sessions.exec({ taskId, name, text: `cd ${quoted(directory)}` }));
    for (const text of [...own.steps, ...lastOf(own.steps)]) {
      const running = await library.sessions.exec({ taskId, name, text });
      answers.push(await collected(running, own));
      if ((await running.session).sessionEnded) break;
    }
  } finally {
    await library.sessions.close({ taskId, name });
  }
  return {
    stdout: Buffer.concat(answers.map(({ stdout }) => stdout)),
    stderr: Buffer.concat(answers.map(({ stderr }) => stderr)),
    code: answers.at(-1)?.code ?? null,
    fault: answers.find(({ fault }) => fault !== null)?.fault ?? null,
  };
}

/** What a trap does at the end of a shell is seen where the shell ends. */
const lastOf = (steps: readonly string[]): readonly string[] =>
  steps.some((text) => /\btrap\b/.test(text)) ? ['exit'] : [];

async function inBackground({ library: { processes, execs }, taskId }: Ours, run: Run): Promise<Answer> {
  const { stdin } = run.case;
  const how = stdin === null ? {} : { stdin: true };
  const { id } = await processes.start({ taskId, command: command(run), cwd: run.directory, ...how });
  if (stdin !== null) await given(processes, id, stdinOf(stdin));
  const { exitCode, state, truncated } = await processes.wait(id);
  const written = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  for await (const { event } of execs.logs(id))
    if (event.type === 'stdout' || event.type === 'stderr') written[event.type].push(event.bytes);
  return {
    stdout: Buffer.concat(written.stdout),
    stderr: Buffer.concat(written.stderr),
    code: exitCode,
    fault:
      state === 'exited' && !truncated.stdout && !truncated.stderr ? null : `${state}, ${JSON.stringify(truncated)}`,
  };
}

/** A process that has ended takes no more. */
async function given(processes: Library['processes'], id: string, stdin: Buffer): Promise<void> {
  await processes.input(id, Readable.from([stdin])).catch(() => undefined);
}

async function byTool({ mcp, taskId }: Ours, run: Run): Promise<Answer> {
  // The text is for sh, and commands of the oracle are for bash.
  const text = `exec bash -c ${quoted(textOf(run))}`;
  const { data, isError } = await mcp.call('run_command', { task: taskId, command: text, cwd: run.directory });
  if (isError) throw new Error(`run_command: ${JSON.stringify(data).slice(0, 500)}`);
  const output = data.truncated === true ? await pagesOf(mcp, data.exec_id) : data;
  const { reason, exit_code: code, signal } = data;
  return {
    stdout: Buffer.from(output.stdout),
    stderr: Buffer.from(output.stderr),
    code: code ?? (signal === null ? null : 128 + (signalNumbers[signal] ?? 0)),
    fault: reason === 'exited' || reason === 'signaled' ? null : `${reason}: ${data.notes.join('; ')}`,
  };
}

const maxPageBytes = 256 * 1024;

/** All of it, where one answer holds a part. */
async function pagesOf(
  mcp: Ours['mcp'],
  execId: string,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const all = { stdout: '', stderr: '' };
  for (let after: string | undefined, more = true; more;) {
    const page = { exec_id: execId, max_bytes: maxPageBytes, ...(after === undefined ? {} : { after }) };
    const { data, isError } = await mcp.call('read_output', page);
    if (isError) throw new Error(`read_output: ${JSON.stringify(data).slice(0, 500)}`);
    all.stdout += data.stdout;
    all.stderr += data.stderr;
    after = data.next;
    more = data.more === true;
  }
  return all;
}

export async function collected(
  { stdout, stderr, exit }: Pick<OracleProcess, 'stdout' | 'stderr' | 'exit'>,
  { fields }: Pick<Run['case'], 'fields'> = { fields: [] },
): Promise<Answer> {
  const [out, err, end] = await Promise.all([bytesOf(stdout), bytesOf(stderr), exit]);
  // A list of processes of this host has those of others too, with secrets of theirs.
  const redactions = fields.includes('ps') ? 0 : (end.redactions ?? 0);
  return { stdout: out, stderr: err, code: shellCode(end), fault: faultOf({ ...end, redactions }) };
}

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(stream));
}

/** A process that holds a stream may write more, which nothing waits for. */
function faultOf({ reason, stdout, stderr, backgroundOpen, notes, redactions }: Exit): string | null {
  const isEnd = reason === 'exited' || reason === 'signaled';
  const isComplete = backgroundOpen || (stdout.complete !== false && stderr.complete !== false);
  if (isEnd && isComplete && (redactions ?? 0) === 0) return null;
  return `${reason}, ${redactions ?? 0} redactions, complete ${stdout.complete} ${stderr.complete}: ${notes.join('; ')}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
