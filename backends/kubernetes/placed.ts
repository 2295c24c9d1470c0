/** Has the first process of a pod run, on whichever node takes it. */
import { CaissonError } from '../../src/errors.ts';
import type { MadePod } from './create.ts';
import { identityOf, type Namespace } from './namespace.ts';
import { pause } from './pause.ts';
import { type Attached, attachFirst, type Patience } from './ready.ts';
import { wasRefused } from './state.ts';

/** The scheduler hears within seconds that a node is under pressure. */
const againMs = 1000;

export interface Placing {
  readonly made: MadePod;
  /** Makes a pod in the place of one that has ended. */
  readonly again: () => Promise<MadePod>;
}

/** A pod that its node refuses is made again while there is time: nothing of it has run. */
export async function attachPlaced(namespace: Namespace, placing: Placing, patience: Patience): Promise<Attached> {
  const deadline = performance.now() + patience.pendingSeconds * 1000;
  for (let { made } = placing; ; made = await placing.again()) {
    const waiting = { ...identityOf(made.pod), isNew: made.isNew };
    const pendingSeconds = Math.ceil((deadline - performance.now()) / 1000);
    try {
      return await attachFirst(namespace, waiting, { ...patience, pendingSeconds });
    } catch (error) {
      const mayPass = error instanceof CaissonError && performance.now() < deadline;
      if (!mayPass || !(await isRefused(namespace, made))) throw error;
    }
    await pause(againMs * (0.75 + Math.random() / 2), patience.signal);
  }
}

async function isRefused(namespace: Namespace, { pod }: MadePod): Promise<boolean> {
  const { name, uid } = identityOf(pod);
  const now = await namespace.pod(name).catch(() => null);
  return now !== null && now.metadata?.uid === uid && wasRefused(now);
}
