/** What of the environment of the service reaches Modal: every decoded request is searched. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openCaisson } from '../../../src/main.ts';
import { startModal } from '../../../emulators/modal/emulator.ts';
import { whyNoModal } from '../../engines/modal.ts';

const twenty = (what: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${what}_${at}`, `zqx-${what.toLowerCase()}-${at}-end`]));

const kept = twenty('KEPT_BACK');
const declared = twenty('DECLARED');

interface SecretCall {
  readonly method: string;
  readonly request: unknown;
}

/** Every text of a request with where it stands; bytes as texts too. */
function textsOf(value: unknown, path: string): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (value instanceof Uint8Array) return [[path, Buffer.from(value).toString('latin1')]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [[path, name] as const, ...textsOf(each, `${path}.${name}`)]);
}

it.skipIf(whyNoModal !== null)(
  'sends no secret of the service to Modal, and those of one command in its environment field alone',
  { timeout: 60_000 },
  async () => {
    const seen: SecretCall[] = [];
    const modal = await startModal({
      unsafe: false,
      onCall: ({ method, request }) => void seen.push({ method, request }),
    });
    onTestFinished(() => modal.close());
    const home = await mkdtemp(join(tmpdir(), 'caisson-secrets-'));
    onTestFinished(() => rm(home, { recursive: true }));
    const env = { ...modal.environment, PATH: process.env['PATH'] ?? '', HOME: home, ...kept };
    const flags = { 'terminal.backend': 'modal', 'terminal.modal_image': 'debian:12' };
    const caisson = await openCaisson({ home: join(home, 'state'), env, cwd: home, flags });
    onTestFinished(() => caisson.close());
    const command = ['sh', '-c', 'env | grep -c zqx-'] as const;
    const ran = await caisson.run({ taskId: 't', command, env: declared });
    expect(ran.stdout.text).toBe('20\n');
    expect((await caisson.run({ taskId: 't', command })).stdout.text).toBe('0\n');
    await caisson.sandboxes.stop('t');
    await caisson.run({ taskId: 't', command });

    const texts = seen.flatMap(({ method, request }) => textsOf(request, method));
    const where = (values: readonly string[]): readonly string[] =>
      texts.filter(([, text]) => values.some((value) => text.includes(value))).map(([path]) => path);
    expect(where([...Object.values(kept), modal.environment['MODAL_TOKEN_SECRET'] ?? '-'])).toEqual([]);
    // Core passes a variable under a name of its own, from which the shell in front of the command gives it back.
    const places = where(Object.values(declared)).map((path) =>
      path.replaceAll(/\.\d+\.|[A-Z_a-z]*DECLARED_\d+$|CAISSON_TEXT\d+$/g, '.'),
    );
    expect([...new Set(places)]).toEqual(['TaskExecStart.secretSources.env.contents..']);

    const { images } = (await modal.orders.state()) as { images: readonly string[] };
    expect(images.length).toBeGreaterThan(1);
    expect(
      await searched(join(modal.faults, '../images'), [...Object.values(kept), ...Object.values(declared)]),
    ).toEqual([]);
    await caisson.sandboxes.remove('t');
  },
);

/** Files below that hold one of the values. */
async function searched(directory: string, values: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(file, 'latin1')] as const));
  return texts.filter(([, text]) => values.some((value) => text.includes(value))).map(([file]) => file);
}
