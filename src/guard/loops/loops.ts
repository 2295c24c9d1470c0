/** Watches the calls of a task for circles: warns in the exit of a call, and refuses the next one at the limit. */
import { createHash, hash, type Hash } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../../config/types.ts';
import { CaissonError } from '../../errors.ts';
import type { Exit } from '../../values/exit.ts';
import type { Recorder } from '../../journal/types.ts';
import { isEphemeral } from '../../values/task.ts';
import { type Call, readable } from '../call.ts';
import type { Admission, Step } from '../gate.ts';
import { toolOf } from '../hooks/payload.ts';
import { after, counts, type Detector, type History, type Outcome, reached, sentence } from './detect.ts';
import { readHistory, writeHistory } from './history.ts';

/** One call from its start to its exit. */
export interface Watch {
  /** Passes everything on, and remembers what it was. */
  readonly recorder: Recorder;
  /** The exit, with warnings. */
  readonly ended: (exit: Exit) => Promise<Exit>;
}

export class Loops implements Step {
  readonly #limits: Config['tool_loop_guardrails'];
  readonly #directory: string;

  constructor(limits: Config['tool_loop_guardrails'], home: string) {
    this.#limits = limits;
    this.#directory = join(home, 'guardrails');
  }

  /** A sandbox that goes with its command has no second call. */
  readonly concerns = ({ call }: Pick<Admission, 'call'>): boolean => this.#limits.enabled && !isEphemeral(call.taskId);

  readonly pass = (admission: Admission): Promise<Admission> => {
    const { call } = admission;
    const found = counts(this.#history(call), identityOf(call));
    const detector = reached(found, this.#limits.hard_stop_after);
    return detector === null ? Promise.resolve(admission) : Promise.reject(loopError(call, detector, found[detector]));
  };

  /** `null`: it is not watched. */
  watch(call: Call, recorder: Recorder): Watch | null {
    if (!this.concerns({ call })) return null;
    const output = { stdout: createHash('sha256'), stderr: createHash('sha256') };
    return { recorder: listening(recorder, output), ended: (exit) => this.#ended(call, exit, digestOf(exit, output)) };
  }

  /** A call that was refused has failed as well: asking for it again and again is a circle, too. */
  refused(call: Call, error: unknown): void {
    if (!this.concerns({ call }) || !(error instanceof CaissonError) || error.details['guardrail'] !== undefined)
      return;
    if (error.code === 'policy_denied' || error.code === 'approval_required')
      this.#keep(call, { failed: true, reads: false, result: error.code });
  }

  async #ended(call: Call, exit: Exit, result: string): Promise<Exit> {
    if (exit.reason === 'canceled' || exit.reason === 'lost') return exit; // says nothing about the command
    const failed = exit.reason !== 'exited' || exit.exitCode !== 0;
    const reads = !failed && (await onlyReads(call));
    const found = counts(this.#keep(call, { failed, reads, result }), identityOf(call));
    const warned = reached(found, this.#limits.warn_after);
    return warned === null ? exit : { ...exit, notes: [...exit.notes, sentence(warned, found[warned])] };
  }

  #keep(call: Call, end: Pick<Outcome, 'failed' | 'reads' | 'result'>): History {
    const windowMs = this.#limits.window_seconds * 1000;
    const history = after(this.#history(call), { ...identityOf(call), ...end, at: Date.now() }, windowMs);
    writeHistory(this.#directory, call.taskId, history);
    return history;
  }

  #history({ taskId }: Call): ReturnType<typeof readHistory> {
    const from = Date.now() - this.#limits.window_seconds * 1000;
    return readHistory(this.#directory, taskId).filter(({ at }) => at > from);
  }
}

function identityOf({ subject, cwd }: Call): { readonly tool: string; readonly signature: string } {
  return { tool: toolOf(subject), signature: hash('sha256', JSON.stringify([subject.kind, readable(subject), cwd])) };
}

function listening(recorder: Recorder, output: Readonly<Record<'stdout' | 'stderr', Hash>>): Recorder {
  return {
    write: (stream, chunk) => {
      output[stream].update(chunk);
      return recorder.write(stream, chunk);
    },
    end: (exit) => recorder.end(exit),
    get missing() {
      return recorder.missing;
    },
    get note() {
      return recorder.note;
    },
  };
}

function digestOf(exit: Exit, { stdout, stderr }: Readonly<Record<'stdout' | 'stderr', Hash>>): string {
  return [exit.reason, exit.exitCode ?? exit.signal, stdout.digest('hex'), stderr.digest('hex')].join(' ');
}

/** What the mode that lets only reading run would let run. */
async function onlyReads({ subject, cwd }: Call): Promise<boolean> {
  if (subject.kind === 'code' || subject.kind === 'file') return false;
  const { openPolicy } = await import('../../policy/policy.ts');
  const policy = await openPolicy({ mode: 'plan' });
  return policy.decide({ command: readable(subject), cwd, reach: 'container' }).verdict === 'allow';
}

/** The result that stands for that of the call, which is not made. */
function loopError(call: Call, detector: Detector, count: number): CaissonError {
  return new CaissonError('policy_denied', `not run, since it turns in circles: ${sentence(detector, count)}`, {
    remedy: 'do something else first; a call that works and changes something starts the count anew',
    details: { guardrail: detector, count, taskId: call.taskId, execId: call.execId, synthetic: true },
  });
}
