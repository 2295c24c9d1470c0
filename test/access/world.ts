/** A state directory with a configuration, services on it that share it as processes do, and a clock that can be set. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Access } from '../../src/access/open.ts';
import type { Message } from '../../src/access/types.ts';
import { auditIn } from '../../src/audit/log.ts';
import type { Audit } from '../../src/audit/types.ts';
import { loadConfig } from '../../src/config/load.ts';
import { known } from '../config/known.ts';
import { openStore } from '../../src/store/sqlite/open.ts';

export const minute = 60_000;
export const hour = 60 * minute;

export interface World {
  readonly home: string;
  readonly access: Access;
  readonly audit: Audit;
  readonly clock: { nowMs: number };
  /** Another process on the same state directory. */
  readonly another: (env?: Readonly<Record<string, string>>) => Promise<Access>;
  /** Path of a file of pairing. */
  readonly file: (name: string) => string;
  /** All that is kept of pairing, and all of the audit, as one text. */
  readonly everything: () => string;
}

export async function world(config = '', dotenv = ''): Promise<World> {
  const home = join(mkdtempSync(join(tmpdir(), 'caisson-access-')), 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 });
  writeFileSync(join(home, '.env'), dotenv, { mode: 0o600 });
  onTestFinished(() => rmSync(join(home, '..'), { recursive: true }));
  const clock = { nowMs: Date.parse('2026-01-01T12:00:00Z') };
  const open = async (env: Readonly<Record<string, string>> = {}): Promise<{ access: Access; audit: Audit }> => {
    const loaded = await loadConfig({ backends: known, home, env, cwd: home });
    const { store } = await openStore(join(home, 'caisson.db'));
    const audit = auditIn(join(home, 'audit'), { storeBytes: null, fileBytes: 1e6, holder: store.holderId });
    onTestFinished(async () => {
      audit.close();
      await store.close();
    });
    return { access: new Access({ loaded, store, audit, nowMs: () => clock.nowMs }), audit };
  };
  return {
    home,
    clock,
    ...(await open()),
    another: async (env) => (await open(env)).access,
    file: (name) => join(home, 'pairing', name),
    everything: () =>
      ['pairing', 'audit'].map((directory) => textOf(join(home, directory))).join('') +
      readFileSync(join(home, 'caisson.db'), 'latin1'),
  };
}

function textOf(directory: string): string {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(join(directory, name), 'latin1'))
    .join('');
}

export function direct(id: string, patch: Partial<Message> = {}): Message {
  return { platform: 'telegram', from: { ids: [id] }, channel: null, addressed: null, ...patch };
}

/** Sends the message of a stranger, and gives the code that answers it. */
export async function codeFor(access: Pick<Access, 'message'>, message: Message): Promise<string> {
  const hearing = await access.message(message);
  if (hearing.what !== 'pair') throw new Error(`no code: ${JSON.stringify(hearing)}`);
  return hearing.code;
}

export async function facts(audit: Audit): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const found: Readonly<Record<string, unknown>>[] = [];
  for await (const record of audit.tail({ count: 10_000, follow: false }))
    if (record.type === 'access') found.push(record);
  return found;
}
