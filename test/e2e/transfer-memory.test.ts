/** Large files through `caisson serve`, and what they take of its memory. `CAISSON_LOAD_TRANSFER_MB` sets how large. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { report } from '../counts.ts';
import { dockerHost } from '../engines/docker.ts';
import { openOn, type Service } from './http-service.ts';
import { type Home, makeHome } from './home.ts';

const megabytes = Number(process.env['CAISSON_LOAD_TRANSFER_MB'] ?? 256);
const maxAboveMb = 150;
const maxOfArchiveMb = 100;

describe.each(['local', 'docker'])('the service on %s', (backend) => {
  it(
    `takes and gives ${megabytes} MB within ${maxAboveMb} MB of memory`,
    { timeout: 60_000 + megabytes * 200 },
    async () => {
      await using home = await makeHome(dockerHost());
      const { service, files } = await opened(home, backend);
      const at = `${service.url}/v1/sandboxes/build/files?path=${encodeURIComponent(join(files, 'large'))}`;
      // What is loaded and compiled at first use is not the file's.
      await given(service, at, 8);
      await taken(service, at);

      const up = await memoryOver(service, () => given(service, at, megabytes));
      const down = await memoryOver(service, () => taken(service, at));
      report({ backend, up: figures(up), down: figures(down) });
      expect(down.result.digest).toBe(up.result);
      expect([up.aboveMb, down.aboveMb].filter((mb) => mb > maxAboveMb)).toEqual([]);
      await service.ask('/v1/sandboxes/build', { method: 'DELETE' });
    },
  );

  it(
    `streams an archive of ${megabytes} MB within ${maxOfArchiveMb} MB of memory`,
    { timeout: 60_000 + megabytes * 200 },
    async () => {
      await using home = await makeHome(dockerHost());
      const { service, files } = await opened(home, backend);
      const at = (name: string): string =>
        `${service.url}/v1/sandboxes/build/files/archive?path=${encodeURIComponent(join(files, name))}`;
      await filled(service, join(files, 'small'), 8);
      await filled(service, join(files, 'large'), megabytes);
      // What is loaded and compiled at first use is not the archive's.
      await taken(service, at('small'));

      const archive = await memoryOver(service, () => taken(service, at('large')));
      report({ backend, archive: figures(archive) });
      expect(archive.result.bytes).toBeGreaterThan(megabytes * 1024 * 1024);
      expect(archive.result.trailer).toBe(`sha-256=:${Buffer.from(archive.result.digest, 'hex').toString('base64')}:`);
      expect(archive.aboveMb).toBeLessThan(maxOfArchiveMb);
      await service.ask('/v1/sandboxes/build', { method: 'DELETE' });
    },
  );
});

/** `files`: where a test may write. Files of the state directory itself are protected; /tmp of a container is bounded. */
async function opened(home: Home, backend: string): Promise<{ readonly service: Service; readonly files: string }> {
  const service = await openOn(home, backend);
  onTestFinished(async () => void (await service.stop()));
  if (backend !== 'local') return { service, files: '/workspace' };
  const files = await mkdtemp(join(tmpdir(), 'caisson-transfer-'));
  onTestFinished(() => rm(files, { recursive: true }));
  return { service, files };
}

/** Fills a file by a command inside, so that the service has not had the bytes. */
async function filled(service: Service, path: string, count: number): Promise<void> {
  const command = [
    'sh',
    '-c',
    'mkdir -p "$1" && head -c "$2" /dev/urandom > "$1/bytes"',
    'sh',
    path,
    `${count * 1024 ** 2}`,
  ];
  const made = await service.ask('/v1/sandboxes/build/execs', { body: { command }, accept: 'application/json' });
  expect(await made.json()).toMatchObject({ exit: { exitCode: 0 } });
}

const figures = ({ aboveMb, tookMs }: { readonly aboveMb: number; readonly tookMs: number }): string =>
  `${Math.round(aboveMb)} MB of memory, ${Math.round((megabytes * 1000) / tookMs)} MB/s`;

/** Measures work by its time, and by the peak of memory that the kernel notes, in MiB above what the service had before. */
async function memoryOver<T>({ process: { pid } }: Service, work: () => Promise<T>) {
  // proc_pid_clear_refs(5): the peak begins anew at what is in use now.
  await writeFile(`/proc/${pid}/clear_refs`, '5');
  const [before, began] = [await kilobytes(pid, 'VmRSS'), performance.now()];
  const result = await work();
  const tookMs = performance.now() - began;
  return { result, tookMs, aboveMb: ((await kilobytes(pid, 'VmHWM')) - before) / 1024 };
}

async function kilobytes(pid: number | undefined, name: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
}

async function given({ token }: Service, url: string, count: number): Promise<string> {
  const [part, digest] = [randomBytes(1024 * 1024), createHash('sha256')];
  const parts = function* (): Generator<Buffer, void, void> {
    for (let at = 0; at < count; at += 1) {
      digest.update(part);
      yield part;
    }
  };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' };
  const sending = request(url, { method: 'PUT', headers });
  const answer = once(sending, 'response');
  await pipeline(Readable.from(parts(), { objectMode: false }), sending);
  const response = responseIn(await answer);
  expect({ status: response.statusCode, text: await textOf(response) }).toMatchObject({ status: 200 });
  return digest.digest('hex');
}

async function taken({ token }: Service, url: string) {
  const digest = createHash('sha256');
  let bytes = 0;
  const sending = request(url, { headers: { authorization: `Bearer ${token}` } }).end();
  const response = responseIn(await once(sending, 'response'));
  expect(response.statusCode).toBe(200);
  for await (const part of response) {
    const chunk: Buffer = part;
    digest.update(chunk);
    bytes += chunk.length;
  }
  return { digest: digest.digest('hex'), bytes, trailer: response.trailers['repr-digest'] };
}

const responseIn = ([response]: readonly IncomingMessage[]): IncomingMessage => {
  if (response === undefined) throw new Error('there is no response');
  return response;
};

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response) text += String(part);
  return text;
}
