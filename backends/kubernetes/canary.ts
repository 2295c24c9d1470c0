/**
 * One trial of the network policies: three pods of one node listen. What no policy refuses must work before and after, so that a policy
 * is what refuses the rest.
 */
import { randomBytes } from 'node:crypto';
import { isCode, toCaissonError } from '../../src/errors.ts';
import { throwIfAborted } from '../shared/abort.ts';
import { type Addresses, endCanaries, removeLeft, startCanaries } from './canaries.ts';
import { canaryName, port, type Role, type Trial } from './canary-pods.ts';
import type { Here } from './here.ts';
import { isRefused } from './network.ts';
import { pause } from './pause.ts';
import { setPolicies } from './policies.ts';
import { runScript } from './script.ts';
import { silentError } from './silence.ts';
import type { Target } from './start.ts';
import { type Answer, type Control, type Seen, unknown, type Verdict, verdictOf } from './verdict.ts';

/** Less than the canaries live. */
const trialMs = 110_000;
/** Listeners take a moment to begin, and some network plugins apply policies a moment after the pod has started. */
const patienceMs = 10_000;
const pauseMs = 1000;

/** Rejects when the signal fires, and then only after the pods have been removed. */
export async function tryPolicies(here: Here, instance: string, signal: AbortSignal): Promise<Verdict> {
  const trial = { instance, id: randomBytes(6).toString('hex'), token: randomBytes(12).toString('hex') };
  const ends = AbortSignal.any([signal, AbortSignal.timeout(trialMs)]);
  try {
    await removeLeft(here.namespace, { instance, signal: ends });
    await setPolicies(here, { signal: ends });
    const addresses = await startCanaries(here, trial, ends);
    return await new Looking(here, { trial, addresses, signal: ends }).verdict();
  } catch (error) {
    throwIfAborted({ signal });
    return unknown(toCaissonError(error).message, isCode(error, 'unavailable'));
  } finally {
    await endCanaries(here.namespace, trial);
  }
}

interface Looked {
  readonly trial: Trial;
  readonly addresses: Addresses;
  readonly signal: AbortSignal;
}

/** From one canary to another. */
type Path = readonly [from: Role, to: Role];

class Looking {
  readonly #here: Here;
  readonly #looked: Looked;

  constructor(here: Here, looked: Looked) {
    this.#here = here;
    this.#looked = looked;
  }

  async verdict(): Promise<Verdict> {
    const before = await this.#controls();
    if (before.some(({ answer }) => answer !== 'reached'))
      return verdictOf({ controls: before, inbound: 'refused', outbound: null });
    const tests = await this.#tests();
    const isOpen = tests.inbound === 'reached' || tests.outbound === 'reached';
    return verdictOf({ controls: isOpen ? before : [...before, ...(await this.#controls())], ...tests });
  }

  async #tests(): Promise<Omit<Seen, 'controls'>> {
    const isDecided = isRefused(this.#here.refusals, this.#looked.addresses.plain);
    const [inbound, outbound] = await Promise.all([
      this.#refused(['plain', 'closed']),
      isDecided ? this.#refused(['closed', 'plain']) : null,
    ]);
    return { inbound, outbound };
  }

  async #controls(): Promise<readonly Control[]> {
    const between = 'a connection between pods that no policy of Caisson selects';
    const itself = 'a connection of a pod to itself';
    return await Promise.all([
      this.#control(between, ['plain', 'other']),
      this.#control(between, ['other', 'plain']),
      this.#control(itself, ['closed', 'closed']),
    ]);
  }

  async #control(what: string, path: Path): Promise<Control> {
    return { what, answer: await this.#until(path, { wanted: 'reached', inARow: 1 }) };
  }

  /** Twice, a moment apart: a network that is not set up yet refuses too. */
  async #refused(path: Path): Promise<Answer> {
    return await this.#until(path, { wanted: 'refused', inARow: 2 });
  }

  /** The wanted answer, or the one that stayed. */
  async #until(path: Path, { wanted, inARow }: { readonly wanted: Answer; readonly inARow: number }): Promise<Answer> {
    const deadline = performance.now() + patienceMs;
    for (let count = 0; ;) {
      const answer = await this.#connects(path);
      count = answer === wanted ? count + 1 : 0;
      const isLate = performance.now() > deadline && count === 0;
      if (count === inARow || answer === 'unable' || isLate) return answer;
      await pause(pauseMs, this.#looked.signal);
    }
  }

  async #connects([from, to]: Path): Promise<Answer> {
    const { trial, addresses, signal } = this.#looked;
    const args = ['reach', String(port), trial.token, addresses[to]];
    const { code } = await runScript(this.#target(from), 'canary', args, signal);
    return (code === null ? undefined : answers[code]) ?? 'unable';
  }

  #target(role: Role): Target {
    const { namespace } = this.#here;
    const name = canaryName(this.#looked.trial, role);
    return {
      api: namespace.api,
      path: namespace.path('pods', name),
      // No other pod has the name, which is of this trial alone.
      uid: null,
      explain: async () => undefined,
      silent: () => silentError(name),
      explained: async (end) => ({ exitCode: await end, signal: null, outOfMemory: false }),
    };
  }
}

/** Keys are exit codes of `canary.sh`. */
const answers: Readonly<Record<number, Answer>> = { 0: 'reached', 1: 'refused', 3: 'unable' };
