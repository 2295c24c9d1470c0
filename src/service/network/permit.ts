/** What a yes to a question about the network changes. */
import { CaissonError } from '../../errors.ts';
import type { Choice } from '../../values/choice.ts';
import { saveAllowed } from '../../guard/save-rule.ts';
import type { Context } from '../../sandbox/context.ts';
import { withConfigFile } from '../../sandbox/lease.ts';

interface HostQuestion {
  readonly sandboxId: string;
  readonly taskId: string;
  readonly host: string;
}

export type Permit = (asked: HostQuestion, choice: Exclude<Choice, 'deny'>) => Promise<void>;

/** Throws `conflict` when the sandbox is not there any more. */
export const permitting =
  ({ home, store, wayOut }: Pick<Context, 'home' | 'store' | 'wayOut'>): Permit =>
  async ({ sandboxId, taskId, host }, choice) => {
    if (choice === 'always')
      await withConfigFile(store, async () => await saveAllowed(home, ['network', 'allow'], [host]));
    // What the file says now reaches a service that runs when it reads it again.
    const change = choice === 'once' ? { once: [{ host, at: Date.now() }] } : { allow: [host] };
    if ((await wayOut.change({ id: sandboxId, taskId }, change)) === null)
      throw new CaissonError('conflict', `the sandbox of ${taskId} is not there any more`);
  };
