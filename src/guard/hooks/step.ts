/** The hooks of a tool, in the order of the configuration. What one has changed the next one sees, and policy judges. */
import { basename } from 'node:path';
import type { StepOptions } from '../../sandbox/context.ts';
import type { Call } from '../call.ts';
import type { Admission, Step } from '../gate.ts';
import { programEnv, runProgram } from '../../lib/run-program.ts';
import { deniedError } from '../refusal.ts';
import { type Answer, answerOf } from './answer.ts';
import { CaissonError } from '../../errors.ts';
import { isInside } from '../inside.ts';
import { accept, type Consent, consentTo, readAccepted } from './consent.ts';
import { modified, payloadOf, toolOf } from './payload.ts';
import { pinnedCommand } from './pinned.ts';
import { type Places, readScripts, type Script } from './script.ts';
import type { Hook, Hooks, HookView } from './types.ts';

export interface HookStepInput extends Places {
  readonly hooks: Hooks;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A script that is not known is accepted as it is. One that was accepted and has changed is not. */
  readonly acceptsNew: boolean;
}

export class HookStep implements Step {
  readonly #parts: HookStepInput;

  constructor(parts: HookStepInput) {
    this.#parts = parts;
  }

  readonly concerns = ({ call }: Admission): boolean => this.#hooksFor(call).length > 0;

  readonly pass = async (admission: Admission, options: StepOptions): Promise<Admission> => {
    let { call } = admission;
    for (const hook of this.#hooksFor(admission.call)) call = await this.#apply(hook, call, options);
    return { ...admission, call };
  };

  async list(): Promise<readonly HookView[]> {
    const accepted = await readAccepted(this.#parts.home);
    const all = Object.entries(this.#parts.hooks).flatMap(([tool, hooks]) =>
      hooks.map(({ command }) => ({ tool, command })),
    );
    return await Promise.all(
      all.map(async ({ tool, command }) => {
        const scripts = await readScripts({ command }, this.#parts);
        const [{ path }] = scripts;
        const problem = problemWith(scripts);
        const files = scripts.map((script) => ({ path: script.path, sha256: script.sha256 }));
        const state = problem === null ? consentTo(scripts, accepted) : 'unusable';
        return { tool, command, path, files, problem, state };
      }),
    );
  }

  /**
   * Pins every script that can be used, or those that are named by their path or as they are written. Throws
   * `permission_denied` inside a command that Caisson runs.
   */
  async accept(names: readonly string[]): Promise<readonly HookView[]> {
    if (isInside(this.#parts.env))
      throw new CaissonError('permission_denied', 'a command that Caisson runs cannot accept hooks', {
        remedy: 'look at them and accept them from a terminal of your own',
      });
    const wanted = (await this.list()).filter(
      ({ path, command }) => names.length === 0 || names.includes(path) || names.includes(command[0] ?? ''),
    );
    await accept(
      this.#parts.home,
      wanted.flatMap(({ files }) => files),
    );
    return (await this.list()).filter(({ path }) => wanted.some((each) => each.path === path));
  }

  #hooksFor({ subject }: Call): readonly Hook[] {
    const { hooks } = this.#parts;
    return [toolOf(subject), '*'].flatMap((tool) => (Object.hasOwn(hooks, tool) ? (hooks[tool] ?? []) : []));
  }

  async #apply(hook: Hook, call: Call, options: StepOptions): Promise<Call> {
    const answer = await this.#ask(hook, call, options);
    if (answer.kind === 'block') throw hookRefusedError(call, hook, answer.message);
    if (answer.kind === 'failed' && hook.failClosed)
      throw hookRefusedError(call, hook, answer.reason, answer.remedy ?? broken);
    if (answer.kind !== 'modify') return call;
    const subject = modified(call.subject, answer.input);
    if (subject === null) throw hookRefusedError(call, hook, 'it changed this into something that cannot be run');
    return { ...call, subject };
  }

  async #ask(hook: Hook, call: Call, { signal }: StepOptions): Promise<Answer & { readonly remedy?: string }> {
    const scripts = await readScripts(hook, this.#parts);
    const bad = problemWith(scripts);
    if (bad !== null) return { kind: 'failed', reason: bad, remedy: unusable };
    const problem = await this.#consentProblem(scripts);
    if (problem !== null) return { kind: 'failed', ...problem };
    const end = await runProgram({
      command: await pinnedCommand(hook.command, scripts, this.#parts.home),
      cwd: this.#parts.home,
      env: { ...programEnv(this.#parts.env), CAISSON_HOOK: scripts[0].path },
      input: `${JSON.stringify(payloadOf(call))}\n`,
      timeoutMs: hook.timeoutMs,
      signal,
    });
    return answerOf(end);
  }

  async #consentProblem(scripts: readonly Script[]): Promise<Problem | null> {
    const consent = consentTo(scripts, await readAccepted(this.#parts.home));
    if (consent === 'new' && this.#parts.acceptsNew) {
      await accept(this.#parts.home, scripts);
      return null;
    }
    return problems[consent];
  }
}

/** The problem of the first script that cannot be used; `null`: all can. */
function problemWith(scripts: readonly Script[]): string | null {
  const bad = scripts.find(({ problem }) => problem !== null);
  if (bad === undefined) return null;
  return bad.word === 0 ? bad.problem : `${bad.path}: ${bad.problem}`;
}

interface Problem {
  readonly reason: string;
  /** For the operator: no other form of the command helps. */
  readonly remedy: string;
}

const problems: Readonly<Record<Consent, Problem | null>> = {
  accepted: null,
  new: {
    reason: 'the operator has not accepted it yet',
    remedy: 'as the operator, look at the script, then accept it: caisson hooks accept',
  },
  changed: {
    reason: 'it has changed since the operator accepted it',
    remedy: 'as the operator, look at what has changed, then accept it again: caisson hooks accept',
  },
};
const unusable = 'as the operator, correct the hook; `caisson hooks ls` shows what is wrong with it';
const broken = 'as the operator, correct the hook, or remove it from hooks.pre_tool_call';

function hookRefusedError(call: Call, { command }: Hook, message: string, remedy?: string): Error {
  const finding = { rule: `hook ${basename(command[0])}`, description: message, start: 0, end: 0 };
  return deniedError(call, { verdict: 'deny', tier: 'rule', findings: [finding] }, remedy);
}
