/** The watch over pods, on a server that forgets versions, drops connections and leaves pods out of its lists. */
import type { ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { Namespace } from '../../../backends/kubernetes/namespace.ts';
import { Vigil } from '../../../backends/kubernetes/vigil.ts';
import { type Front, startFront } from './front.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** What the server does: with a list, with each watch in its turn, and with the pod when it is asked for by its name. */
interface Server {
  readonly lists: readonly (readonly unknown[])[];
  readonly watches: readonly ((response: ServerResponse, version: string) => void)[];
  readonly pod: unknown;
}

const pod = (uid: string, status: object = { phase: 'Running' }, version = '5') => ({
  metadata: { name: 'p', uid, resourceVersion: version },
  status,
});
const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
const open = (response: ServerResponse, ...lines: readonly string[]): void => {
  response.writeHead(200);
  response.write(lines.join(''));
};

interface Watched {
  readonly ended: Promise<void>;
  readonly isEnded: () => boolean;
  /** `list`, `pod`, or `watch` with the version from which it goes on. */
  readonly asked: readonly string[];
}

async function watched({ lists, watches, pod: single }: Server): Promise<Watched> {
  const front: Front = await startFront('v4.channel.k8s.io');
  const asked: string[] = [];
  let [list, watch] = [0, 0];
  front.answer = (url, response) => {
    const version = url.searchParams.get('resourceVersion') ?? '';
    if (url.searchParams.has('watch')) {
      asked.push(`watch ${version}`);
      (watches[watch++] ?? ((each) => open(each)))(response, version);
    } else if (url.pathname.endsWith('/pods')) {
      asked.push('list');
      const items = lists[Math.min(list++, lists.length - 1)];
      response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items }));
    } else {
      asked.push('pod');
      if (single === null) response.writeHead(404);
      response.end(JSON.stringify(single));
    }
  };
  const vigil = new Vigil(new Namespace(front.api), 'a=b', { patienceMs: 0, settleMs: 0 });
  opened.push(vigil, front);
  const { promise, resolve } = Promise.withResolvers<void>();
  let over = false;
  vigil.guard({
    uid: 'u',
    name: 'p',
    onEnded: () => {
      over = true;
      resolve();
    },
  });
  return { ended: promise, isEnded: () => over, asked };
}

it('ends the wait when the pod is deleted', async () => {
  const { ended, asked } = await watched({
    lists: [[pod('u')]],
    watches: [(response) => open(response, line('MODIFIED', pod('u')), line('DELETED', pod('u')))],
    pod: null,
  });
  await ended;
  expect(asked).toEqual(['list', 'watch 1']);
});

it('ends the wait when the pod has failed, as by an eviction', async () => {
  const { ended } = await watched({
    lists: [[pod('u')]],
    watches: [(response) => open(response, line('MODIFIED', pod('u', { phase: 'Failed', reason: 'Evicted' })))],
    pod: null,
  });
  await ended;
});

it('goes on from the last bookmark when the connection ends', async () => {
  const { ended, asked } = await watched({
    lists: [[pod('u')]],
    watches: [
      (response) => {
        open(response, line('BOOKMARK', { metadata: { resourceVersion: '77' } }));
        response.end();
      },
      (response) => open(response, line('DELETED', pod('u', {}, '78'))),
    ],
    pod: null,
  });
  await ended;
  expect(asked).toEqual(['list', 'watch 1', 'watch 77']);
});

it.each<[string, Server['watches'][number]]>([
  ['by its status', (response) => response.writeHead(410).end('{"code":410,"reason":"Expired"}')],
  [
    'by an event',
    (response) => {
      open(response, line('ERROR', { code: 410, reason: 'Expired' }));
      response.end();
    },
  ],
  ['by a connection that breaks', (response) => response.destroy()],
])('lists again when the watch ends %s', async (_, first) => {
  const { ended, asked } = await watched({
    lists: [[pod('u')]],
    watches: [first, (response) => open(response, line('DELETED', pod('u')))],
    pod: null,
  });
  await ended;
  expect(asked).toEqual(['list', 'watch 1', 'list', 'watch 1']);
});

it('asks for a pod that a list lacks, and takes it for deleted only when it is gone or another one', async () => {
  const gone = await watched({ lists: [[]], watches: [], pod: pod('another') });
  await gone.ended;
  expect(gone.asked.includes('pod')).toBe(true);
  const there = await watched({ lists: [[]], watches: [], pod: pod('u') });
  await expect.poll(() => there.asked.includes('pod')).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(there.isEnded()).toBe(false);
});

it('does not take a node that does not answer for the end of a pod', async () => {
  const silent = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False', reason: 'NodeNotReady' }] };
  const { isEnded, asked } = await watched({
    lists: [[pod('u')]],
    watches: [(response) => open(response, line('MODIFIED', pod('u', silent)), line('DELETED', pod('other')))],
    pod: null,
  });
  await expect.poll(() => asked.length).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isEnded()).toBe(false);
});
