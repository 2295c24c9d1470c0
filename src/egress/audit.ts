/** What the audit keeps of egress: changes of rules, and denied connections. Pure. */
import type { AuditEntry } from '../audit/types.ts';
import type { EgressLists, EgressRow } from '../store/egress.ts';
import type { SandboxRow } from '../store/store.ts';
import type { Reported } from './denials.ts';

type Whose = Pick<SandboxRow, 'id' | 'taskId'>;

/** A configuration may list thousands of hosts. */
const maxListed = 50;

/** `null`: what is allowed has not changed. */
export function changeEntry(sandbox: Whose, before: EgressRow | null, row: EgressRow): AuditEntry | null {
  if (before?.revision === row.revision) return null;
  const [old, now] = [before === null ? [] : rulesIn(before), rulesIn(row)];
  const added = now.filter((rule) => !old.includes(rule));
  const removed = old.filter((rule) => !now.includes(rule));
  return {
    ...about(sandbox, 'rules'),
    revision: row.revision,
    added: added.slice(0, maxListed),
    added_count: added.length,
    removed: removed.slice(0, maxListed),
    removed_count: removed.length,
  };
}

/** `count`: how many connections the entry stands for. */
export function denialEntry(sandbox: Whose, { name, port, rule }: Reported, count: number): AuditEntry {
  return { ...about(sandbox, 'denied'), name, port, rule, count };
}

const about = ({ id, taskId }: Whose, what: 'rules' | 'denied') =>
  ({ type: 'egress', taskId, execId: null, sandbox: id, what }) as const;

function rulesIn({ configured, own }: EgressRow): readonly string[] {
  const { allow, deny, ports, presets }: EgressLists = configured;
  return [
    ...[...allow, ...own.allow].map((host) => `allow ${host}`),
    ...own.once.map(({ host }) => `allow ${host} once`),
    ...[...deny, ...own.deny].map((host) => `deny ${host}`),
    ...ports.map((port) => `port ${port}`),
    ...presets.map((name) => `preset ${name}`),
  ];
}
