import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { open } from '../../../../backends/docker/backend.ts';
import { keptIn } from '../../../../src/lib/kept.ts';
import { plainSpec } from '../../../conformance/spec.ts';
import { infoOf, versionOf } from '../answers.ts';

let directory: string;
let asked: string[] = [];
let memoryLimit = true;
const engine = createServer((request, response) => {
  asked.push(request.url ?? '');
  const info = { ...infoOf(), MemoryLimit: memoryLimit, HttpProxy: 'http://user:password-of-proxy@proxy' };
  const answers: Record<string, unknown> = { '/info': info, '/version': versionOf() };
  const answer = answers[request.url?.split('?')[0] ?? ''];
  response.statusCode = answer === undefined ? 404 : 200;
  response.end(JSON.stringify(answer ?? { message: 'no' }));
});

beforeEach(async () => {
  [asked, memoryLimit] = [[], true];
  directory = await mkdtemp(join(tmpdir(), 'caisson-facts-'));
  await once(engine.listen(join(directory, 'sock')), 'listening');
});
afterEach(async () => {
  vi.useRealTimers();
  await new Promise((done) => engine.close(done));
  await rm(directory, { recursive: true });
});

/** A backend as each process opens its own. */
function openBackend(socket = 'sock') {
  const env = { DOCKER_HOST: `unix://${join(directory, socket)}` };
  return open({ env, instance: 'facts', kept: keptIn(join(directory, 'kept')) });
}

async function guaranteesOf(socket?: string) {
  const backend = openBackend(socket);
  try {
    return await backend.guarantees();
  } finally {
    await backend.close();
  }
}

it('a second process does not ask the engine what the first has asked', async () => {
  const first = await guaranteesOf();
  expect(asked).toHaveLength(2);
  expect(await guaranteesOf()).toEqual(first);
  expect(asked).toHaveLength(2);
});

it('another engine is asked, and one whose facts are older than ten minutes', async () => {
  await guaranteesOf();
  await expect(guaranteesOf('other')).rejects.toMatchObject({ code: 'unavailable' });
  vi.useFakeTimers({ now: Date.now() + 11 * 60_000, toFake: ['Date'] });
  await guaranteesOf();
  expect(asked).toHaveLength(4);
});

it('a clock that was set back does not keep facts for ever', async () => {
  await guaranteesOf();
  vi.useFakeTimers({ now: Date.now() - 60_000, toFake: ['Date'] });
  await guaranteesOf();
  expect(asked).toHaveLength(4);
});

it('a sandbox is made by facts of now: a limit that the engine has lost is refused', async () => {
  await guaranteesOf();
  memoryLimit = false;
  const backend = openBackend();
  const spec = plainSpec('docker', { image: 'any', cwd: '/', persistent: false });
  const limits = { ...spec.limits, memoryBytes: 1e9 };
  const labels = {
    instance: 'facts',
    sandbox: 'sbx_1',
    task: 't',
    fingerprint: 'f',
    created: '',
    schema: '1',
  } as const;
  const place = { name: 'n', labels, directory: null, credentials: null, init: ['true'] } as const;
  const making = backend.create({ ...spec, limits, network: 'none' }, place);
  await expect(making).rejects.toMatchObject({ code: 'not_supported' });
  await backend.close();
});

it('no credentials of a proxy are kept', async () => {
  await guaranteesOf();
  expect(JSON.stringify(keptIn(join(directory, 'kept')).read('engine'))).not.toContain('password-of-proxy');
});
