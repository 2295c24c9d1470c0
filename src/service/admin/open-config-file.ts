/** The file of a state directory, opened without the rest: for one that does not load. Nothing is made before the first change. */
import type { Audit } from '../../audit/types.ts';
import { prepareHome } from '../../config/home.ts';
import { systemClock } from '../../lib/clock.ts';
import { withConfigFile } from '../../sandbox/lease.ts';
import { openStore } from '../../store/open.ts';
import type { ConfigFile } from '../types.ts';
import { configFileOf, type ConfigFileInput } from './config-file.ts';
import { type Built, homeOf, type Input, tried } from './configured.ts';
import { openAudit } from '../../audit/open.ts';

export function openFile(built: Built, input: Input): ConfigFile {
  const home = homeOf(input);
  return fileOf(built, input, async (work) => {
    await prepareHome(home);
    const { store } = await openStore(home, input.clock ?? systemClock);
    const opened: Audit[] = [];
    try {
      await withConfigFile(store, async () => {
        await work((loaded) => {
          const audit = openAudit(loaded, store);
          opened.push(audit);
          return audit;
        });
      });
    } finally {
      for (const audit of opened) audit.close();
      await store.close();
    }
  });
}

export function fileOf(built: Built, input: Input, alone: ConfigFileInput['alone']): ConfigFile {
  return configFileOf({ home: homeOf(input), tried: (text) => tried(built, input, text), alone });
}
