/** Opens what the egress proxy needs of a state directory, and runs it. */
import type { Loaded } from '../config/types.ts';
import { systemClock } from '../lib/clock.ts';
import { openStore } from '../store/open.ts';
import { openAudit } from '../audit/open.ts';
import { runProxy, type ProxyInput } from './proxy.ts';
import { Readings } from './readings.ts';

interface ProxyServeInput extends Pick<ProxyInput, 'signal' | 'say'> {
  /** The configuration as it is now. Throws for what is wrong in it. */
  readonly read: () => Promise<Loaded>;
}

/** False: another process is the proxy of the state directory. */
export async function serveEgress({ read, signal, say }: ProxyServeInput): Promise<boolean> {
  const loaded = await read();
  const { store } = await openStore(loaded.home, systemClock);
  const audit = openAudit(loaded, store);
  const readings = new Readings(loaded, read);
  const addresses: ProxyInput['addresses'] = async (source) => await readings.since(source);
  try {
    return await runProxy({ home: loaded.home, store, audit, addresses, signal, say });
  } finally {
    await store.close();
    audit.close();
  }
}
