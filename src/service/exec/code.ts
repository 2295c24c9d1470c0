/** Code runs: a program's text into a fresh directory of the sandbox, and nothing of it left behind. */
import type { CodeInput, Running } from '../api.ts';
import type { Proposal } from './proposal.ts';
import { codeCommand, codeDirectory } from '../../exec/code.ts';
import { newExecId } from '../../exec/random.ts';
import { scriptOf } from '../../inside/script.ts';
import { runScript } from '../../inside/run.ts';
import { codeSubject } from '../../guard/call.ts';
import type { Origin } from './provision.ts';
import type { Context } from '../../sandbox/context.ts';
import type { Plan } from '../../plan/types.ts';
import { presentSandbox } from '../../sandbox/present.ts';
import { isSafeInCode, namesSecret } from '../../secrets/filters.ts';

export interface Program {
  readonly bytes: string | Uint8Array;
  /** TMPDIR of the command, below which the directory of the program is made. Absent: the usual one of the place. */
  readonly temporary: string | undefined;
}

/** The command that runs a program, and the program that it reads. */
export interface CodeRun {
  readonly proposal: Proposal;
  readonly program: Program;
}

/** What makes it the same request: see `identityOf`. */
export function codeWords({ language, text }: CodeInput['code']): readonly string[] {
  return ['code', language, Buffer.from(text).toString('base64')];
}

export function codeRun(
  plan: Plan,
  { code, identity, ...input }: CodeInput & Pick<Proposal, 'identity'>,
  { inherited }: Pick<Origin, 'inherited'>,
): CodeRun {
  const execId = input.execId ?? newExecId();
  const subject = codeSubject(code);
  const command = codeCommand(code.language, execId, hiddenIn(plan, inherited));
  return {
    proposal: {
      plan: {
        ...plan,
        forwardEnv: plan.forwardEnv.filter((name) => !namesSecret(name)),
        setEnv: Object.fromEntries(Object.entries(plan.setEnv).filter(([name]) => !namesSecret(name))),
      },
      input: { ...input, execId, command, cwd: '/', stdin: true },
      subject,
      identity,
    },
    program: { bytes: subject.bytes, temporary: input.env?.['TMPDIR'] },
  };
}

/** What commands on this host inherit, and programs of others must not. */
function hiddenIn({ guarantees, passEnv }: Plan, inherited: readonly string[]): readonly string[] {
  if (guarantees.isolation !== 'none') return [];
  return inherited.filter((name) => !isSafeInCode(name) && !passEnv.includes(name));
}

/** Gives the program its text, and removes its directory when it was ended before it could do so itself. */
export function feedCode(context: Context, running: Running, { bytes, temporary }: Program): Running {
  running.stdin?.end(bytes);
  const exit = running.exit.then(async (ended) => {
    if (ended.reason === 'exited') return ended;
    const row = await context.store.sandboxes.find(running.where.sandboxId);
    const sandbox = row === null || row.ephemeral ? null : await presentSandbox(context, row).catch(() => null);
    if (sandbox === null) return ended; // it went with its sandbox, or goes with it
    const env = temporary === undefined ? {} : { TMPDIR: temporary };
    const run = { name: 'code-cleanup', script: scriptOf('code-cleanup'), args: [codeDirectory(running.id)], env };
    const removed = await runScript(sandbox, run).then(
      ({ exitCode }) => exitCode === 0,
      () => false,
    );
    return removed ? ended : { ...ended, notes: [...ended.notes, 'the directory of the program could not be removed'] };
  });
  return { ...running, stdin: null, exit };
}
