/** A journal with many records, and what calls of it cost in processor time, in milliseconds. */
import { join } from 'node:path';
import { openJournal } from '../../../src/journal/journal.ts';
import type { Journal } from '../../../src/journal/types.ts';
import { openStore } from '../../../src/store/sqlite/open.ts';
import { bounds } from '../stores.ts';

const calls = 20;

async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let times = 0; times < calls; times++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}

export class OpenedJournal implements AsyncDisposable {
  readonly #journal: Journal;
  readonly #old: string;
  readonly #close: () => Promise<void>;

  private constructor(journal: Journal, old: string, close: () => Promise<void>) {
    this.#journal = journal;
    this.#old = old;
    this.#close = close;
  }

  static async in(home: string): Promise<OpenedJournal> {
    const { store } = await openStore(join(home, 'caisson.db'));
    const options = { ...bounds, storeBytes: 1e10, holder: store.holderId, records: store.records };
    const journal = await openJournal(join(home, 'journal'), options);
    const [oldest, ...others] = await journal.execs({ task: 'few', limit: 20 });
    if (oldest?.exit?.exitCode !== 3 || others.length > 0) throw new Error('a list of the task `few` has its one exec');
    return new OpenedJournal(journal, oldest.execId, async () => {
      await journal.close();
      await store.close();
    });
  }

  async costs(): Promise<Readonly<Record<string, number>>> {
    return {
      list: await costOf(() => this.#journal.execs({ task: 'few', limit: 20 })),
      page: await costOf(() => this.#journal.execs({ limit: 20 })),
      get: await costOf(() => this.#journal.exec(this.#old)),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}
