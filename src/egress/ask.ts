/** Questions about connections that were denied to a command that has ended. */
import { networkQuestion } from './question.ts';
import { created, everyRow } from '../store/pages.ts';
import type { SandboxRow, Store } from '../store/store.ts';
import type { Caller } from '../values/caller.ts';
import { allowable, type Denied } from './denied.ts';

export interface AskInput {
  readonly store: Pick<Store, 'approvals'>;
  readonly sandbox: Pick<SandboxRow, 'id' | 'taskId' | 'backend'>;
  readonly caller: Caller | undefined;
}

/** At once, of one sandbox: a command can try as many names as it likes. */
const maxOpen = 8;

/** Ids of the questions that are open now, by host. One that was answered a moment ago is not put again. */
export async function askAbout(denied: readonly Denied[], parts: AskInput): Promise<ReadonlyMap<string, string>> {
  const asked = new Map<string, string>();
  const hosts = new Map(denied.flatMap((each) => entryOf(each)));
  if (hosts.size === 0) return asked;
  const { taskId } = parts.sandbox;
  const open = await Array.fromAsync(everyRow((page) => parts.store.approvals.pending({ taskId, ...page }), created));
  let room = maxOpen - open.length;
  for (const [host, rule] of hosts) {
    const question = networkQuestion({ ...parts, host, rule, now: Date.now() });
    const same = open.find(({ binding }) => binding === question.binding);
    if (same !== undefined) asked.set(host, same.id);
    else if (room > 0 && (await put(question, parts))) {
      asked.set(host, question.id);
      room -= 1;
    }
  }
  return asked;
}

function entryOf(denied: Denied): readonly (readonly [string, string])[] {
  const host = allowable(denied);
  return host === null ? [] : [[host, denied.rule]];
}

/** Its id says in which minutes it was put: another one is there already. */
async function put(question: ReturnType<typeof networkQuestion>, { store }: AskInput): Promise<boolean> {
  if ((await store.approvals.find(question.id)) !== null) return false;
  try {
    await store.approvals.insert(question);
    return true;
  } catch (error) {
    // Another process was faster.
    if ((await store.approvals.find(question.id)) !== null) return false;
    throw error;
  }
}
