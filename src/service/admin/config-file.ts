/** The operator's file, as the command line and the API change it: it need not load before, and always does afterwards. */
import type { Audit } from '../../audit/types.ts';
import { createFile, replaceFile, setInFile } from '../../config/edit.ts';
import { changeOf } from '../../config/live.ts';
import { readConfigText } from '../../config/text.ts';
import type { Loaded } from '../../config/types.ts';
import { checkRules } from '../../guard/configured-rules.ts';
import type { ConfigFile } from '../types.ts';
import { configEntry } from './config-entry.ts';

const longestKey = 200;

export interface ConfigFileInput {
  readonly home: string;
  /** Loads a text as if it were the file. Throws for one that would not load. */
  readonly tried: (text: string) => Promise<Loaded>;
  /** Runs while no other process changes the file. */
  readonly alone: (work: (audit: AuditFor) => Promise<void>) => Promise<void>;
}

/** The audit, kept as long as this configuration says. */
export type AuditFor = (loaded: Loaded) => Pick<Audit, 'record'>;

export function configFileOf({ home, tried, alone }: ConfigFileInput): ConfigFile {
  const check = async (text: string): Promise<Loaded> => {
    const loaded = await tried(text);
    await checkRules(loaded);
    return loaded;
  };
  /** Writes with a record of the keys that the checked text changes. */
  const writing = (audit: AuditFor, what: 'set' | 'edit', keys: (next: Loaded) => Promise<readonly string[]>) => {
    let next: Loaded | null = null;
    return {
      check: async (text: string) => (next = await check(text)),
      before: async () => {
        if (next !== null) await audit(next).record(configEntry(what, await keys(next)));
      },
    };
  };
  return {
    home,
    read: async () => await readConfigText(home),
    check: async (text) => void (await check(text ?? (await readConfigText(home)) ?? '')),
    set: async (key, text) =>
      await alone(async (audit) => {
        const keys = [key.slice(0, longestKey)];
        await setInFile(
          home,
          { key, text },
          writing(audit, 'set', async () => await Promise.resolve(keys)),
        );
      }),
    replace: async (was, now) =>
      await alone(async (audit) => {
        const keys = async (next: Loaded): Promise<readonly string[]> => await changedSince(was ?? '', next, check);
        await replaceFile(home, { was, now }, writing(audit, 'edit', keys));
      }),
    create: async (text) => await alone(async () => await createFile(home, text, { check })),
  };
}

/** Empty for a text that did not load: its keys are not known. */
async function changedSince(
  was: string,
  next: Loaded,
  check: (text: string) => Promise<Loaded>,
): Promise<readonly string[]> {
  const before = await check(was).catch(() => null);
  if (before === null) return [];
  const { changed, needsRestart } = changeOf(before, next);
  return [...new Set([...changed, ...needsRestart])];
}
