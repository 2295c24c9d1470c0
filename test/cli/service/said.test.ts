import { expect, it } from 'vitest';
import { saying } from '../../../src/cli/service/said.ts';
import type { Transport, WireRequest } from '../../../src/client/transport.ts';

async function sent(request: WireRequest): Promise<WireRequest> {
  let seen: WireRequest = request;
  const transport: Transport = {
    request: (wanted) => {
      seen = wanted;
      return Promise.resolve({ status: 204, headers: {}, body: (async function* () {})() });
    },
    open: () => Promise.reject(new Error('not here')),
    close: () => Promise.resolve(),
  };
  await saying(transport, { rules: { allow: ['a'] }, yolo: true, project: '/a b' }).request(request);
  return seen;
}

it('rules, YOLO and the directory of a command go with what runs something or touches files', async () => {
  const headers = { 'content-type': 'application/json' };
  const exec = await sent({ method: 'POST', path: '/v1/execs', headers, body: '{"command":["a"]}' });
  expect(JSON.parse(typeof exec.body === 'string' ? exec.body : '')).toEqual({
    command: ['a'],
    rules: { allow: ['a'] },
    yolo: true,
    project: '/a b',
  });
  const path = '/v1/sandboxes/t/files/archive?path=a';
  const said = '&rules=%7B%22allow%22%3A%5B%22a%22%5D%7D&yolo=true&project=%2Fa%20b';
  expect(await sent({ method: 'GET', path, headers: {} })).toMatchObject({ path: path + said });
  for (const other of ['/v1/execs/exec_1', '/v1/events', '/v1/sandboxes', '/v1/sandboxesX'])
    expect(await sent({ method: 'GET', path: other, headers: {} })).toMatchObject({ path: other });
});
