/** A guard without a service: configuration, a project directory, and calls to be judged. */
import { Budgets } from '../../src/budget/budgets.ts';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { known } from '../config/known.ts';
import { type Guard, openGuard } from '../../src/guard/open.ts';
import type { GuardInput } from '../../src/guard/types.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import type { Call } from '../../src/guard/call.ts';
import type { Approver, Question } from '../../src/guard/types.ts';

export interface GuardHome {
  readonly home: string;
  readonly project: string;
}

export function directories(): GuardHome {
  const root = mkdtempSync(join(tmpdir(), 'caisson-guard-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return { home: join(root, 'home'), project: root };
}

/** Answers in turn, and remembers what it was asked. */
export function answering(...answers: readonly string[]): Approver & { readonly questions: Question[] } {
  const questions: Question[] = [];
  const approver = async (question: Question): Promise<string> => {
    questions.push(question);
    await Promise.resolve();
    return answers[Math.min(questions.length, answers.length) - 1] ?? 'deny';
  };
  return Object.assign(approver, { questions });
}

export function configured(text: string): GuardHome {
  const made = directories();
  mkdirSync(made.home, { mode: 0o700 });
  writeFileSync(join(made.home, 'config.yaml'), text, { mode: 0o600 });
  return made;
}

export async function guardOn(
  { home, project }: GuardHome,
  input: GuardInput & { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Guard> {
  const { env = {}, ...guard } = input;
  const loaded = await loadConfig({
    backends: known,
    home,
    env: { CAISSON_SECURITY_TIRITH_ENABLED: 'false', ...env },
    cwd: project,
  });
  const { store } = await openStore(join(home, 'caisson.db'));
  onTestFinished(async () => await store.close());
  return openGuard({ loaded, store, env, cwd: project, budgets: new Budgets(() => ({})) }, guard);
}

export function call(command: string | readonly [string, ...string[]], patch: Partial<Call> = {}): Call {
  return {
    execId: 'exec_1',
    taskId: 'build',
    backend: 'local',
    reach: 'host',
    subject: typeof command === 'string' ? { kind: 'text', text: command } : { kind: 'argv', argv: command },
    cwd: '/srv/project',
    envNames: [],
    stdin: false,
    ...patch,
  };
}

/** The error code, or `null` when it passes. */
export async function refusalOf({ gate }: Guard, which: Call, signal?: AbortSignal): Promise<string | null> {
  try {
    await gate.admit(which, { signal });
    return null;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code);
    throw error;
  }
}
