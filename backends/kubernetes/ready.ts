/**
 * Waits until the node reports that the first process of a pod runs, attaches to it, and tells it to go on. A node lets clients in up to
 * a second earlier, and finds a container by the name of its pod: before the report it may be that of a pod of the name that is ending.
 */
import type { Cancelable } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { fault } from './fault.ts';
import type { Named, Namespace } from './namespace.ts';
import type { Pod } from './objects.ts';
import { pause } from './pause.ts';
import { openSocket } from './socket.ts';
import { container } from './start.ts';
import { progressOf } from './state.ts';
import { Wire } from './wire.ts';

const lookMs = 100;

export interface Patience extends Cancelable {
  readonly pendingSeconds: number;
}

export interface Attached {
  readonly pod: Pod;
  /** Streams of the first process. */
  readonly wire: Wire;
}

export async function attachFirst(namespace: Namespace, named: Named, patience: Patience): Promise<Attached> {
  const deadline = performance.now() + patience.pendingSeconds * 1000;
  for (;;) {
    const pod = await look(namespace, named, { deadline, patience });
    if (pod !== null) return { pod, wire: await goOn(namespace, named, patience) };
    await pause(lookMs * (0.75 + Math.random() / 2), patience.signal);
  }
}

/** The first process waits for a line, so that no byte of it comes before a client is attached. */
export async function goOn(namespace: Namespace, { name }: Named, { signal }: Cancelable): Promise<Wire> {
  const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', stderr: 'true', tty: 'false' });
  const path = `${namespace.path('pods', name)}/attach?${query.toString()}`;
  try {
    const wire = new Wire(await openSocket(namespace.api, { path, signal }), 'first');
    wire.write(Buffer.from('\n'));
    return wire;
  } catch (error) {
    throw fault(error, 'attach to the first process of the pod');
  }
}

interface Looking {
  readonly deadline: number;
  readonly patience: Patience;
}

/** `null`: not yet. */
async function look(namespace: Namespace, named: Named, { deadline, patience }: Looking): Promise<Pod | null> {
  const pod = await namespace.pod(named.name, patience);
  if (pod === null || pod.metadata?.uid !== named.uid) {
    const details = { resource: named.name };
    throw new CaissonError('unavailable', `the pod ${named.name} was deleted before it ran`, { details });
  }
  const progress = progressOf(pod);
  if (progress.is === 'running') return pod;
  if (progress.is === 'ended') throw never(named, progress.code, progress.why);
  if (performance.now() <= deadline) return null;
  throw never(named, progress.code, `${progress.why} (after ${patience.pendingSeconds} s)`);
}

function never({ name }: Named, code: CaissonError['code'], why: string): CaissonError {
  return new CaissonError(code, `the pod ${name} does not start: ${why}`, {
    details: { resource: name },
    remedy: 'see `kubectl describe pod`; the image, the limits and terminal.kubernetes_* decide where it can run',
  });
}
