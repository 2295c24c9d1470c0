/** When the object of a deleted pod is removed before its node has confirmed the end. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { Namespace } from '../../../backends/kubernetes/namespace.ts';
import { startFront } from './front.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

const named = { name: 'caisson-i-1', uid: 'pod-uid' };

function podWith(state: object, deletedAt = new Date()): object {
  return {
    metadata: { ...named, deletionTimestamp: deletedAt.toISOString() },
    status: { phase: 'Pending', containerStatuses: [{ name: 'main', state }] },
  };
}
const unreported = podWith({ waiting: { reason: 'ContainerCreating' } });
const ended = podWith({ terminated: { exitCode: 0 } });

/** A cluster whose node reports each of these in turn, and graces of the deletes that it was asked for after how many of them. */
async function cluster(reports: readonly object[]) {
  const front = await startFront('none');
  opened.push(front);
  const graces: (readonly [grace: unknown, looks: number])[] = [];
  let [looks, isGone] = [0, false];
  const answer = async (request: IncomingMessage): Promise<readonly [number, unknown]> => {
    const body = Object(JSON.parse((await text(request)) || 'null'));
    if (request.method === 'DELETE') {
      graces.push([body.gracePeriodSeconds, looks]);
      isGone = body.gracePeriodSeconds === 0;
      return [200, {}];
    }
    looks += 1;
    return isGone ? [404, { reason: 'NotFound' }] : [200, reports[Math.min(looks, reports.length) - 1]];
  };
  front.answer = (_, response: ServerResponse) =>
    void answer(response.req).then(([status, body]) => response.writeHead(status).end(JSON.stringify(body)));
  return { namespace: new Namespace(front.api), graces };
}

it('waits for the word of the node where a process was reached that the node has not reported', async () => {
  const { namespace, graces } = await cluster([unreported, unreported, unreported, ended]);
  namespace.begun.add(named.uid);
  await namespace.remove('pods', named);
  await namespace.gone('pods', named);
  expect(graces).toEqual([
    [1, 0],
    [0, 4],
  ]);
  expect(namespace.begun.size).toBe(0);
});

it('says after a minute that the node of such a pod does not answer, and forces nothing', async () => {
  const late = podWith({ waiting: { reason: 'ContainerCreating' } }, new Date(Date.now() - 61_000));
  const { namespace, graces } = await cluster([late]);
  namespace.begun.add(named.uid);
  await namespace.remove('pods', named);
  await expect(namespace.gone('pods', named)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/does not answer$/),
  });
  expect(graces).toEqual([[1, 0]]);
});

it('waits for nothing where none has begun', async () => {
  const { namespace, graces } = await cluster([unreported]);
  await namespace.remove('pods', named);
  await namespace.gone('pods', named);
  expect(graces).toEqual([
    [1, 0],
    [0, 1],
  ]);
});
