/**
 * A rule that does not find what its own examples say cannot be relied on, and neither can the grammar it reads with.
 * Looked at once in a process that lives on, after its first verdict and a little at a time. Then what would have been let
 * pass is asked about.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RuleExamples } from '../policy/types.ts';
import type { Admission, Step } from './gate.ts';

export interface ExampleStepInput {
  readonly examples: () => Promise<Iterable<RuleExamples>>;
  /** Before the first rule: a process that ends by then has better things to do. */
  readonly afterMs: number;
  /** Before each of the others. */
  readonly betweenMs: number;
}

const maxNamed = 5;

export class ExamplesStep implements Step {
  readonly #parts: ExampleStepInput;
  readonly #failing: string[] = [];
  #begun = false;

  constructor(parts: ExampleStepInput) {
    this.#parts = parts;
  }

  /** In containers, and for files, the lists of rules do not count. */
  readonly concerns = ({ call, decision }: Admission): boolean => {
    if (call.reach === 'container' || call.subject.kind === 'file') return false;
    // When it cannot look, verdicts themselves tell that the grammar is not there.
    if (!this.#begun) void this.#look().catch(() => undefined);
    return this.#failing.length > 0 && decision.verdict === 'allow';
  };

  readonly pass = (admission: Admission): Promise<Admission> => {
    const named = this.#failing.slice(0, maxNamed).join(', ');
    const description = `policy rules that do not find what their examples say (${named}); caisson doctor tells more`;
    const finding = { rule: 'U10', description, start: 0, end: 0 };
    return Promise.resolve({ ...admission, decision: { verdict: 'ask', tier: 'dangerous', findings: [finding] } });
  };

  async #look(): Promise<void> {
    this.#begun = true;
    await sleep(this.#parts.afterMs, undefined, { ref: false });
    for (const { rule, problems } of await this.#parts.examples()) {
      if (problems.length > 0) this.#failing.push(rule);
      await sleep(this.#parts.betweenMs, undefined, { ref: false });
    }
  }
}
