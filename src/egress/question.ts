/**
 * A question whether a sandbox may reach a host. It is put when a command has ended whose connection was denied; the answer holds for the
 * next one, so no process waits for it. Pure.
 */
import { createHash } from 'node:crypto';
import type { ApprovalRow } from '../store/store.ts';
import { type Caller, operator } from '../values/caller.ts';
import type { Choice } from '../values/choice.ts';
import { ownerOf } from '../values/owner.ts';

export interface NetworkAsk {
  readonly sandbox: { readonly id: string; readonly taskId: string; readonly backend: string };
  /** Host in the form of `network.allow`. */
  readonly host: string;
  /** Rule that denied the connection. */
  readonly rule: string;
  readonly caller: Caller | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** An answer that comes later finds nothing that is still wanted. */
const openMs = 3600_000;
/** A question about one host is asked at most once in this time, whatever its answer. */
const askedEveryMs = 600_000;

export function networkQuestion({ sandbox, host, rule, caller, now }: NetworkAsk): ApprovalRow {
  const { id: sandboxId, taskId, backend } = sandbox;
  const binding = digest(['network', sandboxId, host]);
  const isOperators = ownerOf(taskId) === operator;
  const choices: readonly Choice[] = ['once', 'session', ...(isOperators ? (['always'] as const) : []), 'deny'];
  return {
    id: `apr_${digest([binding, Math.floor(now / askedEveryMs)]).slice(0, 24)}`,
    binding,
    taskId,
    question: {
      network: { sandboxId, host },
      title: 'CONNECTION THAT WAS DENIED',
      rule,
      stdin: false,
      input: null,
      variables: [],
      backend,
      reach: 'container',
      cwd: null,
      diff: null,
      tier: 'rule',
      choices,
      display: `connect to ${host}`,
      warnings: [],
      findings: [{ description: `its network is filtered, and ${host} was denied (${rule})` }],
      covers: [`connections to ${host}`],
      proposal: isOperators ? [`network.allow: ${host}`] : [],
      expiresAt: now + openMs,
    },
    state: 'pending',
    choice: null,
    answeredBy: null,
    askedBy: caller === undefined ? null : { owner: caller.owner, token: caller.token },
    createdAt: now,
  };
}

/** `null`: it is a question about a command. */
export function networkAsked({ question }: Pick<ApprovalRow, 'question'>): {
  readonly sandboxId: string;
  readonly host: string;
} | null {
  const asked: unknown = question['network'];
  const of = (key: string): unknown => (typeof asked === 'object' && asked !== null ? Reflect.get(asked, key) : null);
  const [sandboxId, host] = [of('sandboxId'), of('host')];
  return typeof sandboxId === 'string' && typeof host === 'string' ? { sandboxId, host } : null;
}

const digest = (facts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(facts)).digest('hex');
