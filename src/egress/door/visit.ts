/** One connection of a sandbox, or one plain request, from its first word to its record. */
import type { Socket } from 'node:net';
import { type Admission, admit, type AdmitInput } from './admit.ts';
import { deny, judgeAnswers, type JudgeRules, judgeTarget } from './decide.ts';
import type { ConnectionRecord, Decision, Target } from './types.ts';

export interface VisitInput extends AdmitInput {
  readonly task: string;
  readonly record: (record: ConnectionRecord) => void;
  /** Those that are under way. */
  readonly visits: Set<Visit>;
}

export class Visit {
  checked: ConnectionRecord['checked'] = 'address';
  readonly #parts: VisitInput;
  readonly #startedAt = Date.now();
  readonly #began = performance.now();
  readonly #abort = new AbortController();
  #target: Target | null = null;
  #address: string | null = null;
  #socket: Socket | null = null;
  #decision: Decision = deny('request', 'the request ended early');
  #isOver = false;

  constructor(parts: VisitInput) {
    this.#parts = parts;
    parts.visits.add(this);
  }

  /** Aborted when it is to end at once. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  async admit(target: Target): Promise<Admission> {
    this.#target = target;
    const admission = await admit(target, this.#parts, this.signal);
    this.#decision = admission.decision;
    if (admission.socket !== null) {
      this.#address = admission.address;
      this.#socket = admission.socket;
    }
    return admission;
  }

  /** What was allowed until now is not any more. */
  deny(decision: Decision): void {
    this.#decision = decision;
    this.#abort.abort();
  }

  /** The client is gone, or the door is. */
  abort(): void {
    this.#abort.abort();
  }

  /** The request is malformed, or is one too many. */
  refuse(rule: string, reason: string): void {
    this.#decision = deny(rule, reason);
    this.end();
  }

  /** Judges a connection by rules that have changed. One that is not connected yet is judged when it connects. */
  judgeAgain(rules: JudgeRules): void {
    const [target, address] = [this.#target, this.#address];
    if (target === null || address === null) return;
    const decision = judgeAnswers(target, [address], { ...rules, byName: judgeTarget(target, rules) });
    if (decision.verdict === 'deny') this.deny(decision);
  }

  /** Writes the record. Idempotent. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.visits.delete(this);
    this.#parts.record({
      task: this.#parts.task,
      name: this.#target?.name ?? null,
      port: this.#target?.port ?? null,
      address: this.#address,
      checked: this.checked,
      ...this.#decision,
      sentBytes: this.#socket?.bytesWritten ?? 0,
      receivedBytes: this.#socket?.bytesRead ?? 0,
      startedAt: this.#startedAt,
      durationMs: Math.round(performance.now() - this.#began),
    });
  }
}
