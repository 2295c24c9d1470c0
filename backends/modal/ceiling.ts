/** How many sandboxes may run at once: each costs money as long as it runs. */
import { CaissonError } from '../../src/errors.ts';
import type { ModalAccount } from './account.ts';

const maxShown = 20;

/** Throws `resource_exhausted` with what runs. A sandbox that has the name already does not count once more. */
export async function refuseBeyondCeiling(account: ModalAccount, appId: string, name: string): Promise<void> {
  const { maxSandboxes } = account.settings;
  if (maxSandboxes === null) return;
  const running = (await account.running(appId, {})).filter((entry) => entry.name !== name);
  if (running.length < maxSandboxes) return;
  const names = running.slice(0, maxShown).map((entry) => entry.name.slice(0, 64));
  throw new CaissonError('resource_exhausted', `${running.length} sandboxes run at Modal, and ${maxSandboxes} may`, {
    details: { running: names, app: account.settings.app },
    remedy: 'end some of them, or raise terminal.modal_max_sandboxes',
  });
}
