/** Starts a command in a pod, once. */
import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { ExecOptions, Process, PtyOptions, PtyProcess } from '../../src/backend.ts';
import { CaissonError, isCode } from '../../src/errors.ts';
import { shellText } from '../../src/lib/script.ts';
import { throwIfAborted, untilAborted } from '../shared/abort.ts';
import { NotStartedProcess } from '../shared/not-started.ts';
import { type Launch, notStartedOf, preamble } from '../shared/preamble.ts';
import type { Api } from './api.ts';
import { fault, isRefusal, Refusal } from './fault.ts';
import { head } from './framing.ts';
import { framedInput, plainInput } from './input.ts';
import { pause } from './pause.ts';
import { type Carried, PodProcess } from './process.ts';
import { openSocket } from './socket.ts';
import { Wire } from './wire.ts';

/** The container that commands run in. */
export const container = 'main';

/** The pod, as commands need it. */
export interface Target {
  readonly api: Api;
  /** Path of the pod in the API. */
  readonly path: string;
  /** Another pod may have the name by now: it runs nothing. `null`: whichever pod has the name. */
  readonly uid: string | null;
  /** Throws why no command can be started, such as that the pod is gone. Returns when another try may succeed. */
  readonly explain: () => Promise<void>;
  /** The cluster answers, and the node of the pod does not. */
  readonly silent: () => CaissonError;
  readonly explained: Carried['explained'];
}

type Start = Pick<ExecOptions, 'signal' | 'onSent'>;
const inputs = { framed: framedInput, plain: plainInput } as const;
const retryMs = 100;
/** An API server that is started again is back by then; a node that hangs is not waited for any longer. */
const patienceMs = 15_000;

export async function startProcess(target: Target, launch: Launch, options: Start): Promise<Process> {
  const [nonce, mark] = [randomBytes(12).toString('hex'), randomBytes(12).toString('base64url')];
  const text = preamble(launch, nonce);
  const command = ['/bin/sh', '-c', shellText('backends/kubernetes/boot')];
  const wire = new Wire(await connect(target, { command, isTerminal: false }, options), { mark });
  const way = launch.stdin ? (wire.protocol === 'v4.channel.k8s.io' ? 'framed' : 'plain') : 'none';
  const stdin = way === 'none' ? null : inputs[way](wire);
  const process = new PodProcess({ wire, nonce, stdin, signaler: signalerOf(target), explained: target.explained });
  options.onSent?.();
  wire.write(head({ text, mark, stdin: way, uid: target.uid }));
  return await untilAborted(begun(target, process, launch), options.signal, (late) => void endLate(late));
}

export async function startTerminal(target: Target, launch: Launch, options: PtyOptions): Promise<PtyProcess> {
  const [nonce, ready] = [randomBytes(12).toString('hex'), randomBytes(12).toString('hex')];
  const text = preamble(launch, nonce);
  const args = [ready, String(text.length), target.uid ?? ''];
  const command = ['/bin/sh', '-c', shellText('backends/kubernetes/terminal'), 'sh', ...args];
  const wire = new Wire(await connect(target, { command, isTerminal: true }, options), 'status');
  const isRaw = seen(wire, ready);
  const carried = { wire, nonce, stdin: plainInput(wire), signaler: signalerOf(target), explained: target.explained };
  const process = new PodProcess(carried);
  wire.resize(options.columns, options.rows);
  const isReady = Promise.race([isRaw, process.head]).catch((error) => unanswered(target, process, error));
  await untilAborted(isReady, options.signal, () => process.release());
  options.onSent?.();
  wire.write(text);
  return await untilAborted(begun(target, process, launch), options.signal, (late) => void endLate(late));
}

/** Resolves when the mark has come. */
async function seen({ stdout }: Wire, ready: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let text = '';
  const look = (chunk: Buffer): void => {
    text = `${text}${chunk.toString('latin1')}`.slice(-200);
    if (!text.includes(`${ready};`)) return;
    stdout.off('data', look);
    resolve();
  };
  stdout.on('data', look);
  await promise;
}

interface Command {
  readonly command: readonly string[];
  readonly isTerminal: boolean;
}

/** A shell that waits for its text: nothing is started by this, so that it may be tried again. */
async function connect(target: Target, { command, isTerminal }: Command, { signal }: Start): Promise<WebSocket> {
  const query = new URLSearchParams({
    container,
    stdin: 'true',
    stdout: 'true',
    stderr: String(!isTerminal),
    tty: String(isTerminal),
  });
  for (const word of command) query.append('command', word);
  const path = `${target.path}/exec?${query.toString()}`;
  const deadline = performance.now() + patienceMs;
  for (;;) {
    throwIfAborted(signal === undefined ? {} : { signal });
    try {
      return await openSocket(target.api, { path, signal });
    } catch (error) {
      if (signal?.aborted === true) throw error;
      if (isRefusal(error, 401)) target.api.access.forget();
      await target.explain();
      const mayPass = !(error instanceof CaissonError) && ![400, 403, 404].some((status) => isRefusal(error, status));
      const isLate = performance.now() > deadline;
      // The cluster has just said that the pod is there.
      if (isLate && isUnanswered(error)) throw target.silent();
      if (!mayPass || isLate) throw fault(error, 'start a command in the pod');
      await pause(retryMs * (0.75 + Math.random() / 2), signal);
    }
  }
}

/** No answer at all to the request, or that of an API server which waited for the node. */
function isUnanswered(error: unknown): boolean {
  return error instanceof Refusal ? error.status >= 500 : !(error instanceof CaissonError);
}

/** Waits for the shell's answer. */
async function begun(target: Target, process: PodProcess, launch: Launch): Promise<PtyProcess> {
  const said = await headOf(target, process);
  if (said === null) return process;
  const [word, pid, born = ''] = said.split(' ');
  const missing = notStartedOf(word);
  if (missing !== null) {
    process.release();
    return Object.assign(new NotStartedProcess(missing, launch.stdin), { resize: async () => undefined });
  }
  if (word !== 'ok' || !/^\d{1,10}$/.test(pid ?? '') || !/^\d{1,20}$/.test(born)) {
    process.release();
    throw refusal(word ?? '', launch);
  }
  process.id = { pid: Number(pid), born };
  return process;
}

/** `null`: the connection is gone, so that the command may run, and its end is lost. */
async function headOf(target: Target, process: PodProcess): Promise<string | null> {
  try {
    return await process.head;
  } catch (error) {
    const end = await process.wait().catch(() => null);
    if (end === null && isCode(error, 'unavailable')) return null;
    return await unanswered(target, process, error);
  }
}

/** Throws what is known of a shell that ended without an answer: it may have been in another pod. */
async function unanswered(target: Target, process: PodProcess, error: unknown): Promise<never> {
  const end = await process.wait().catch(() => null);
  process.release();
  if (end?.exitCode === cannotExecute) throw tooLong(error);
  if (end !== null) await target.explain();
  throw end?.exitCode === otherUid ? unnamed(error) : error;
}

/** Exit code of a shell whose `exec` failed; here before any program of the caller is looked for. */
const cannotExecute = 126;
/** Exit code of boot.sh and terminal.sh in a pod that does not have the uid. */
const otherUid = 124;

function unnamed(cause: unknown): CaissonError {
  return new CaissonError('unavailable', 'the pod does not confirm its uid: nothing was started', {
    cause,
    remedy: 'stop the sandbox and start it again: an earlier version may have made its pod',
  });
}

function tooLong(cause: unknown): CaissonError {
  return new CaissonError('invalid_argument', 'the arguments and variables are longer than the sandbox takes', {
    cause,
    remedy: 'pass what is long by a file or by standard input',
  });
}

function refusal(word: string, { cwd }: Launch): CaissonError {
  if (word === 'cwd')
    return new CaissonError('invalid_argument', `the working directory ${cwd} is not a directory that can be entered`, {
      details: { cwd },
      remedy: 'create it first, or choose another cwd',
    });
  return new CaissonError('not_supported', 'the pod has no /proc, by which processes are found');
}

/** Ends the command of an aborted start. */
async function endLate(process: Process): Promise<void> {
  await process.kill('SIGKILL').catch(() => undefined);
  process.release();
}

function signalerOf(target: Target): Carried['signaler'] {
  return async ({ pid, born }, signal) => {
    const script = shellText('backends/kubernetes/signal');
    const command = ['sh', '-c', script, 'sh', String(pid), born, signal.slice('SIG'.length)] as const;
    const launch: Launch = { command, cwd: '/', env: {}, stdin: false, guard: null, terminal: null };
    const process = await startProcess(target, launch, {});
    for (const stream of [process.stdout, process.stderr]) stream.resume();
    await process.wait().finally(() => process.release());
  };
}
