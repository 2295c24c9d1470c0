/** Opens what the egress proxy needs of a state directory, and runs it. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Loaded } from '../../config/types.ts';
import { systemClock } from '../../lib/clock.ts';
import { addressRules } from '../../network/address/rules.ts';
import type { AddressRules } from '../../network/address/types.ts';
import { WebsitePolicy } from '../../network/website-policy.ts';
import { openStore } from '../../store/sqlite/open.ts';
import { openAudit } from '../admin/open-audit.ts';
import { runProxy, type ProxyParts } from './proxy.ts';

interface ServeParts extends Pick<ProxyParts, 'signal' | 'say'> {
  /** The configuration as it is now. Throws for what is wrong in it. */
  readonly read: () => Promise<Loaded>;
}

/** False: another process is the proxy of the state directory. */
export async function serveEgress({ read, signal, say }: ServeParts): Promise<boolean> {
  const loaded = await read();
  const { store } = await openStore(join(loaded.home, 'caisson.db'), { clock: systemClock });
  const audit = openAudit(loaded, store);
  try {
    return await runProxy({ home: loaded.home, store, audit, addresses: addressesOf(loaded, read), signal, say });
  } finally {
    await store.close();
    audit.close();
  }
}

/** The file is read again when it has changed: one that cannot be read allows nothing. */
function addressesOf(first: Loaded, read: ServeParts['read']): () => Promise<AddressRules> {
  const stamp = (): number => statSync(join(first.home, 'config.yaml'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  let now = { loaded: first, websites: websitesOf(first), at: stamp() };
  return async () => {
    const at = stamp();
    if (at !== now.at) {
      const loaded = await read();
      now = { loaded, websites: websitesOf(loaded), at };
    }
    const { allow_private: allowPrivate, nat64_prefix: nat64Prefix } = now.loaded.config.network;
    return addressRules({ allowPrivate, nat64Prefix, env: now.loaded.env, websites: await now.websites.current() });
  };
}

function websitesOf({ config, home, env }: Loaded): WebsitePolicy {
  return new WebsitePolicy({ blocklist: config.security.website_blocklist, home, userHome: env['HOME'] ?? homedir() });
}
