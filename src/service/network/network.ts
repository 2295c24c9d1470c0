/** Rules and records of sandboxes with a filtered network, for front ends. */
import { CaissonError } from '../../errors.ts';
import { isInside } from '../../guard/inside.ts';
import type { Context } from '../../sandbox/context.ts';
import { hasDoor, isFilteredByPlace } from '../../egress/way-out.ts';
import { findRow } from '../../sandbox/end.ts';
import { changeNetwork } from '../../sandbox/kept.ts';
import type { Redaction } from '../../redact/redactor.ts';
import type { EgressRow } from '../../store/egress.ts';
import type { SandboxRow } from '../../store/store.ts';
import { operator } from '../../values/caller.ts';
import { ownerOf } from '../../values/owner.ts';
import type { Connection, NetworkApi, NetworkChange, NetworkRules } from '../network-api.ts';
import type { Options } from '../types.ts';
import { checkedChange, checkNotDenied } from './change.ts';
import { readConnections } from './follow.ts';
import { suggestedRules } from './suggest.ts';

export interface NetworkDependencies {
  readonly context: Context;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names come from the sandbox, and may hold its secrets. `null`: they are shown as they are. */
  readonly redaction: (owner: string) => Redaction | null;
}

const maxCount = 100_000;

export function createNetworkApi({ context, env, redaction }: NetworkDependencies): Omit<NetworkApi, 'checker'> {
  const { store, home } = context;
  const found = async (task: string): Promise<SandboxRow> => filtered(await findRow(context, task));
  const recorded = async (task: string): Promise<SandboxRow> => onRecord(await found(task));
  const rules = async (task: string): Promise<NetworkRules> => {
    const row = await found(task);
    const kept = await store.egress.of(row.id);
    if (kept === null) throw noRulesError(row);
    return viewOf(row, kept);
  };
  async function* log(task: string, how: LogInput = {}, { signal }: Options = {}): AsyncIterable<Connection> {
    const { id: sandboxId, taskId } = await recorded(task);
    const masked = masking(redaction(ownerOf(taskId)));
    const count = Math.min(how.count ?? maxCount, maxCount);
    for await (const each of readConnections({ home, sandboxId, count, follow: how.follow ?? false, signal }))
      yield masked(each);
  }
  return {
    rules,
    log,
    change: async (task, change, { caller } = {}) => {
      if (isInside(env)) throw insideChangeError();
      const checked = checkedChange(change);
      const row = await found(task);
      if (caller !== undefined && caller.owner !== operator) checkNarrower(checked);
      checkNotDenied(checked, await rules(task));
      const kept = await changeNetwork(context, row, checked);
      if (kept === null) throw noRulesError(row);
      return viewOf(row, kept);
    },
    suggest: async (task) => {
      const { taskId } = await recorded(task);
      const connections: Connection[] = [];
      for await (const each of log(task)) connections.push(each);
      return { taskId, ...suggestedRules(connections) };
    },
  };
}

type LogInput = NonNullable<Parameters<NetworkApi['log']>[1]>;

function filtered(row: SandboxRow): SandboxRow {
  if (hasDoor(row) || isFilteredByPlace(row)) return row;
  throw new CaissonError(
    'failed_precondition',
    `the network of ${row.taskId} is ${row.spec.network}: it has no rules`,
    {
      remedy: 'make the sandbox with --network filtered, or observe',
    },
  );
}

function onRecord(row: SandboxRow): SandboxRow {
  if (hasDoor(row)) return row;
  throw new CaissonError(
    'failed_precondition',
    `no connection of ${row.taskId} is on record: ${row.backend} filters by a list of its own, without a proxy`,
    { remedy: '`caisson net show` shows the rules; for a record, take a backend with an egress proxy, such as docker' },
  );
}

const noRulesError = ({ taskId }: SandboxRow): CaissonError =>
  new CaissonError('failed_precondition', `the sandbox of ${taskId} is not made yet`, {
    remedy: 'run a command in it first',
  });

function viewOf({ id, taskId, spec }: SandboxRow, { revision, configured, own }: EgressRow): NetworkRules {
  const mode = spec.network === 'observe' ? 'observe' : 'filtered';
  const { allow, deny, once } = own;
  return { taskId, sandboxId: id, mode, revision, configured, allow, deny, once: once.map(({ host }) => host) };
}

/** What reaches beyond a sandbox is the operator's to allow. */
function checkNarrower({ allow = [], forget = [] }: NetworkChange): void {
  if (allow.length + forget.length > 0)
    throw new CaissonError('permission_denied', 'an owner can deny hosts, and not allow or forget them', {
      remedy: 'ask the operator of the service',
    });
}

const insideChangeError = (): CaissonError =>
  new CaissonError('permission_denied', 'rules of the network cannot be changed by a command that Caisson runs', {
    remedy: 'change them from a terminal of your own',
  });

const masking =
  (redaction: Redaction | null) =>
  (each: Connection): Connection => {
    if (redaction === null) return each;
    const { name, rule, reason } = each;
    const masked = { rule: redaction.text(rule), reason: redaction.text(reason) };
    return { ...each, ...masked, name: name === null ? null : redaction.text(name) };
  };
