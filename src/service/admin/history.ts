/** Pages of the history, and copies, which are noted where they end. */
import { CaissonError, toCaissonError } from '../../errors.ts';
import { author } from '../../lib/author.ts';
import type { Context } from '../../sandbox/context.ts';
import type { ActEnd, Fault, HistoryRow } from '../../store/history.ts';
import { ownerOf } from '../../values/owner.ts';
import type { FilesApi, HistoryApi, HistoryEntry } from '../api.ts';
import { checkKeys } from '../inputs.ts';
import { limitOf, pageOf, positionOf } from '../pages.ts';
import { history as rows } from '../verbs/records.ts';

export function createHistoryApi({ store }: Pick<Context, 'store'>): HistoryApi {
  return {
    list: async (filter = {}) => {
      checkKeys(filter, rows.list.keys);
      const { task, owner, sandboxes, outcomes, since, until } = filter;
      const limit = limitOf(filter);
      const after = positionOf(filter);
      const found = await store.history.list({
        task,
        owner,
        sandboxes,
        faults: checkedFaults(outcomes),
        sinceMs: momentOf('since', since),
        untilMs: momentOf('until', until),
        after: after === null ? null : { at: after.at, seq: Number(after.id) },
        limit: limit + 1,
      });
      const { items, nextCursor } = pageOf(found, limit, ({ startedAt, seq }) => ({ at: startedAt, id: String(seq) }));
      return { items: items.map(entryOf), nextCursor };
    },
  };
}

function entryOf({ seq: _, id, startedAt, ...row }: HistoryRow): HistoryEntry {
  return { ...row, execId: id, startedAt: new Date(startedAt).toISOString() };
}

const faults: readonly string[] = ['failed', 'denied', 'lost'] satisfies readonly Fault[];

function checkedFaults(given: readonly Fault[] | undefined): readonly Fault[] | undefined {
  const wrong = given?.find((each) => !faults.includes(each));
  if (wrong === undefined) return given === undefined || given.length === 0 ? undefined : [...new Set(given)];
  throw new CaissonError('invalid_argument', `an outcome to look for is ${faults.join(', ')}`);
}

/** Milliseconds since the epoch. Throws `invalid_argument`. */
export function momentOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new CaissonError('invalid_argument', `${name} is not a time`, {
    remedy: 'write it as RFC 3339 does: 2026-11-27T08:00:00Z',
  });
}

type Copies = Pick<FilesApi, 'copyIn' | 'copyOut' | 'sync' | 'archive' | 'unpack'>;

/** Notes each copy with its end. What a rule denied is on record as that. */
export function withNotes(context: Pick<Context, 'store'>, copies: Copies): Copies {
  return {
    copyIn: (input, options) =>
      noted(context, { task: input.task, words: ['copy-in', input.source, input.target] }, () =>
        copies.copyIn(input, options),
      ),
    copyOut: (input, options) =>
      noted(context, { task: input.task, words: ['copy-out', input.source, input.target] }, () =>
        copies.copyOut(input, options),
      ),
    sync: (input, options) =>
      noted(context, { task: input.task, words: ['sync', input.host, input.inside] }, () =>
        copies.sync(input, options),
      ),
    archive: (input, options) =>
      noted(context, { task: input.task, words: ['archive', input.path] }, () => copies.archive(input, options)),
    unpack: (input, options) =>
      noted(context, { task: input.task, words: ['unpack', input.path] }, () => copies.unpack(input, options)),
  };
}

interface NotedCopy {
  readonly task: string;
  readonly words: readonly string[];
}

async function noted<T extends { readonly bytes: number }>(
  { store }: Pick<Context, 'store'>,
  { task, words }: NotedCopy,
  copy: () => Promise<T>,
): Promise<T> {
  const [startedAt, from] = [Date.now(), performance.now()];
  const end = async (how: Pick<ActEnd, 'outcome' | 'reason' | 'bytes'>): Promise<void> => {
    const row = (await store.sandboxes.ofTask(task)) ?? (await store.sandboxes.find(task));
    if (row === null) return;
    const { by } = author();
    const { taskId, id: sandboxId, backend } = row;
    const token = by.startsWith('tok_') ? by : null;
    const act = { id: null, kind: 'copy' as const, owner: ownerOf(taskId), token, taskId, sandboxId, backend };
    const nothing = { exitCode: null, signal: null, rule: null };
    store.history.add(
      { ...act, command: words, startedAt },
      { ...how, ...nothing, durationMs: performance.now() - from },
    );
  };
  // A note that fails changes nothing of what the copy did: the audit is the evidence.
  const note = async (how: Parameters<typeof end>[0]): Promise<void> => await end(how).catch(() => undefined);
  try {
    const copied = await copy();
    await note({ outcome: 'done', reason: null, bytes: copied.bytes });
    return copied;
  } catch (error) {
    const { code, message } = toCaissonError(error);
    const isDenied = code === 'policy_denied' || code === 'approval_required';
    await note({ outcome: isDenied ? 'denied' : 'failed', reason: message.slice(0, 400), bytes: null });
    throw error;
  }
}
