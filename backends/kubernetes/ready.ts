/**
 * Attaches to the first process of a pod as soon as its node lets a client in, which is up to a second before the node reports that the
 * process runs. A node finds a container by the name of its pod, and until that report it may be that of a pod of the name that is
 * ending: the process answers with the uid of its pod, and only the right one gets the line that starts it.
 */
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cancelable } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { untilAborted } from '../shared/abort.ts';
import { Output } from '../shared/output.ts';
import { fault, Refusal } from './fault.ts';
import { identityOf, type Named, type Namespace } from './namespace.ts';
import type { Pod } from './objects.ts';
import { pause } from './pause.ts';
import { noShell } from './process.ts';
import { openSocket } from './socket.ts';
import { container } from './start.ts';
import { isReported, progressOf } from './state.ts';
import { Wire } from './wire.ts';

const firstTryMs = 60;
const longestTryMs = 400;
/** A try costs the API server and the node a connection: of many pods at once each tries less often. */
const growth = 1.25;
/** A process that waits answers at once; of a processor that is busy not at once. */
const answerMs = 3000;
const ask = Buffer.from('?\n');
const go = Buffer.from('\n');

export interface Patience extends Cancelable {
  readonly pendingSeconds: number;
}

export interface Attached {
  readonly pod: Pod;
  readonly wire: Wire;
  /** Output of the first process. None of it is missing where the pod is new. */
  readonly stdout: Readable;
  /** Whether the image has what commands need, and the working directory is there. */
  readonly isPrepared: boolean;
}

/** `isNew`: this process has made the pod, so that no other client has started its first process. */
export interface Waiting extends Named {
  readonly isNew: boolean;
}

export async function attachFirst(namespace: Namespace, named: Waiting, patience: Patience): Promise<Attached> {
  const deadline = performance.now() + patience.pendingSeconds * 1000;
  for (let waitMs = firstTryMs; ; waitMs = Math.min(longestTryMs, waitMs * growth)) {
    await pause(waitMs * (0.75 + Math.random() / 2), patience.signal);
    const pod = await look(namespace, named, { deadline, patience });
    const isRunning = progressOf(pod).is === 'running';
    if (!named.isNew) {
      if (isRunning) return { pod, ...(await joined(namespace, named, patience)) };
    } else if (pod.spec?.nodeName !== undefined) {
      const first = await tried(namespace, named, { isRunning, patience });
      if (first !== null) return { pod, ...first };
    }
  }
}

type First = Omit<Attached, 'pod'>;

/** The first process of a pod that was there: it may wait, or have begun long ago. */
async function joined(namespace: Namespace, named: Named, patience: Patience): Promise<First> {
  try {
    const wire = await attach(namespace, named, patience);
    wire.write(go);
    return { wire, stdout: wire.stdout, isPrepared: true };
  } catch (error) {
    throw fault(error, 'attach to the first process of the pod');
  }
}

interface Trying {
  readonly isRunning: boolean;
  readonly patience: Patience;
}

/** The first process ended, lost its connection or gave no answer in time. */
class Unanswered extends Error {}

/** `null`: the container is not there yet, or it was that of another pod. */
async function tried(namespace: Namespace, named: Named, { isRunning, patience }: Trying): Promise<First | null> {
  try {
    return await reached(namespace, named, patience);
  } catch (error) {
    patience.signal?.throwIfAborted();
    if (error instanceof Unanswered || (!isRunning && error instanceof Refusal)) return null;
    throw fault(error, 'attach to the first process of the pod');
  }
}

async function reached(namespace: Namespace, named: Named, patience: Patience): Promise<First> {
  const wire = await attach(namespace, named, patience);
  const output = new Output(wire.stdout, named.uid, noShell);
  wire.write(ask);
  const said = await untilAborted(
    Promise.race([output.head.catch(() => null), sleep(answerMs, null, { ref: false })]),
    patience.signal,
    () => wire.close(),
  );
  if (said === null) {
    wire.close();
    throw new Unanswered();
  }
  wire.write(go);
  return { wire, stdout: output.stream, isPrepared: said === '0' };
}

async function attach(namespace: Namespace, { name }: Named, { signal }: Cancelable): Promise<Wire> {
  const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', stderr: 'true', tty: 'false' });
  const path = `${namespace.path('pods', name)}/attach?${query.toString()}`;
  return new Wire(await openSocket(namespace.api, { path, signal }), 'first');
}

/** A node reports each second; at first it is looked for more often. */
const firstLookMs = 150;
const longestLookMs = 1000;

export interface Report extends Cancelable {
  readonly withinMs: number;
  /** Whether somebody waits for it: a wait in the background holds no process. */
  readonly isAwaited: boolean;
}

/** Waits until the node has reported that the pod runs, and from which image. Gives the pod as it was read last, also without such a report in time. */
export async function reported(namespace: Namespace, pod: Pod, { withinMs, isAwaited, signal }: Report): Promise<Pod> {
  const { name, uid } = identityOf(pod);
  const deadline = performance.now() + withinMs;
  let last = pod;
  for (let waitMs = firstLookMs; !isReported(last); waitMs = Math.min(longestLookMs, waitMs * 1.3)) {
    if (performance.now() > deadline) break;
    await untilAborted(sleep(waitMs, undefined, { ref: isAwaited }), signal);
    const now = await namespace.pod(name, signal === undefined ? {} : { signal });
    if (now?.metadata?.uid !== uid) break;
    last = now;
  }
  return last;
}

interface Looking {
  readonly deadline: number;
  readonly patience: Patience;
}

/** Throws when it cannot come to run any more. */
async function look(namespace: Namespace, named: Named, { deadline, patience }: Looking): Promise<Pod> {
  const pod = await namespace.pod(named.name, patience);
  if (pod === null || pod.metadata?.uid !== named.uid) {
    const details = { resource: named.name };
    throw new CaissonError('unavailable', `the pod ${named.name} was deleted before it ran`, { details });
  }
  const progress = progressOf(pod);
  if (progress.is === 'running') return pod;
  if (progress.is === 'ended') throw never(named, progress.code, progress.why);
  if (performance.now() <= deadline) return pod;
  throw never(named, progress.code, `${progress.why} (after ${patience.pendingSeconds} s)`);
}

function never({ name }: Named, code: CaissonError['code'], why: string): CaissonError {
  return new CaissonError(code, `the pod ${name} does not start: ${why}`, {
    details: { resource: name },
    remedy: 'see `kubectl describe pod`; the image, the limits and terminal.kubernetes_* decide where it can run',
  });
}
