import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { watched } from '../../../src/cli/service/watched.ts';
import type { Transport } from '../../../src/client/transport.ts';
import { CaissonError } from '../../../src/errors.ts';
import { text } from 'node:stream/consumers';
import { http } from '../../client/unix/services.ts';

const watching = {
  lookMs: 50,
  answerMs: 100,
  silentError: () => new CaissonError('unavailable', 'it lives and does not answer'),
};
const slow = { method: 'GET', path: '/slow', headers: {} } as const;

it('a request may take long while the service answers other ones', async () => {
  let looks = 0;
  const transport = await http((request, response) => {
    if (request.url === '/healthz') looks += 1;
    setTimeout(() => response.end('done'), request.url === '/slow' ? 400 : 0);
  });
  // It does answer, on a busy machine too.
  const { body } = await watched(transport, { ...watching, answerMs: 10_000 }).request(slow);
  expect(await text(body)).toBe('done');
  expect(looks).toBeGreaterThan(2);
  await sleep(150);
  const after = looks;
  await sleep(150);
  expect(looks).toBe(after);
});

it('a request fails soon where the service has stopped to answer', async () => {
  const transport = await http(() => undefined);
  await expect(watched(transport, watching).request(slow)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'it lives and does not answer',
  });
});

it('the signal of the caller holds, and an answer that is read slowly is left alone', async () => {
  const transport: Transport = await http((_request, response) => {
    response.write('a');
    setTimeout(() => response.end('b'), 300);
  });
  expect(await text((await watched(transport, watching).request(slow)).body)).toBe('ab');
  const leaving = new AbortController();
  const asked = watched(await http(() => undefined), { ...watching, lookMs: 10_000 });
  const request = asked.request({ ...slow, signal: leaving.signal });
  leaving.abort();
  await expect(request).rejects.toMatchObject({ code: 'canceled' });
});
