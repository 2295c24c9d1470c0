/** Binary files come out of a sandbox as they are, by every path that carries bytes. `scripts/load.ts` runs it with many. */
import { execFile } from 'node:child_process';
import { createCipheriv, createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CaissonClient, connectCaisson } from '../../src/client/index.ts';
import type { ExecEvent, Exit } from '../../src/service/api.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { cli, makeHome, type Home } from './home.ts';
import { openOn, type Service } from './http-service.ts';

const files = Number(process.env['CAISSON_LOAD_BINARY'] ?? 2);
const fileBytes = 4_000_000;
const task = 'build';
const path = '/workspace/file';

let home: Home;
let service: Service;
let client: CaissonClient;
let embedded: Caisson;
let direct: Caisson;
let directory: string;
beforeAll(async () => {
  [home, directory] = [await makeHome(), await mkdtemp(join(tmpdir(), 'caisson-binary-'))];
  service = await openOn(home, 'docker');
  client = connectCaisson({ url: service.url, token: service.token });
  embedded = await home.open();
  direct = await home.open({ 'exec.lanes': false });
}, 120_000);
afterAll(async () => {
  await embedded.sandboxes.remove(task);
  await client.close();
  await service.stop();
  await home[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
}, 60_000);

/** Pseudorandom bytes: a seed gives equal bytes in each run. */
function randomBytes(seed: number): Buffer {
  const key = createHash('sha256').update(String(seed)).digest();
  const bytes = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(fileBytes));
  // One in three has this by chance.
  bytes.write('PW=', 1_000_000 + seed);
  return bytes;
}

interface Got {
  readonly bytes: Uint8Array;
  readonly exit?: Exit;
}

const joined = async (parts: AsyncIterable<Uint8Array>): Promise<Buffer> => Buffer.concat(await Array.fromAsync(parts));

async function ran(api: Pick<Caisson, 'exec'> | Pick<CaissonClient, 'exec'>): Promise<Got> {
  const running = await api.exec({ taskId: task, command: ['cat', path] });
  running.ignore('stderr');
  return { bytes: await joined(running.stdout), exit: await running.exit };
}

async function heard(): Promise<Got> {
  const pieces: Uint8Array[] = [];
  const onStdout = (bytes: Uint8Array): void => void pieces.push(bytes);
  const { exit } = await client.run({ taskId: task, command: ['cat', path] }, { onStdout });
  return { bytes: Buffer.concat(pieces), exit };
}

async function recorded(events: AsyncIterable<ExecEvent>): Promise<Got> {
  const pieces: Uint8Array[] = [];
  let ended: Exit | null = null;
  for await (const { event } of events) {
    if (event.type === 'stdout') pieces.push(event.bytes);
    if (event.type === 'exit') ended = event.exit;
  }
  return { bytes: Buffer.concat(pieces), ...(ended === null ? {} : { exit: ended }) };
}

const paths: Readonly<Record<string, () => Promise<Got>>> = {
  'the library, by a lane': async () => await ran(embedded),
  'the library, the direct way': async () => await ran(direct),
  'the client': async () => await ran(client),
  'callbacks of a run': heard,
  'a session': async () => {
    const running = await embedded.sessions.exec({ taskId: task, name: 'binary', text: `cat ${path}` });
    running.ignore('stderr');
    return { bytes: await joined(running.stdout), exit: await running.exit };
  },
  'the record': async () => {
    const { execId } = await embedded.run({ taskId: task, command: ['cat', path] });
    return await recorded(client.execs.logs(execId, { follow: true }));
  },
  'a detached process': async () => {
    const { id } = await embedded.processes.start({ taskId: task, command: ['cat', path] });
    return await recorded(embedded.execs.logs(id, { follow: true }));
  },
  'the command line': async () => {
    const how = { env: home.env, cwd: home.path, encoding: 'buffer', maxBuffer: 2 * fileBytes } as const;
    const { stdout } = await promisify(execFile)(process.execPath, [cli, 'exec', task, '--', 'cat', path], how);
    return { bytes: stdout };
  },
  'a stream of the file': async () => ({ bytes: await joined((await embedded.files.stream({ task, path })).parts) }),
  'a copy of the file': async () => {
    await embedded.files.copyOut({ task, source: path, target: join(directory, 'file') });
    return { bytes: await readFile(join(directory, 'file')) };
  },
};

it(
  `${files} random files of 4 MB come out unchanged, without a word on secrets (R4)`,
  { timeout: 4 * 3_600_000 },
  async () => {
    for (let seed = 0; seed < files; seed += 1) {
      const file = randomBytes(seed);
      await embedded.files.write({ task, path, bytes: file });
      for (const [name, read] of Object.entries(paths)) {
        const { bytes, exit } = await read();
        expect([name, seed, Buffer.compare(bytes, file)]).toEqual([name, seed, 0]);
        if (exit !== undefined) expect([name, exit.redactions, exit.notes]).toEqual([name, 0, []]);
      }
    }
  },
);
