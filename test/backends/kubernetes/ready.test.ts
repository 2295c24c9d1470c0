/** How a client finds the first process of a new pod before its node reports it: by what the process answers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Namespace } from '../../../backends/kubernetes/namespace.ts';
import { attachFirst } from '../../../backends/kubernetes/ready.ts';
import { shellText } from '../../../src/lib/script.ts';
import { type Front, startFront } from './front.ts';

const named = { name: 'p', uid: 'u1' };
const patience = { pendingSeconds: 20 };
const mark = '/run/caisson-began';

let front: Front;
let directory: string;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'caisson-first-'));
  front = await startFront('v4.channel.k8s.io');
});
afterEach(async () => {
  await front.close();
  rmSync(directory, { recursive: true, force: true });
});

/** The script of pods, with its mark in a directory of the test. */
const firstOf = (uid: string, ...command: readonly string[]): string[] => {
  const script = shellText('backends/kubernetes/first').replaceAll(mark, join(directory, uid));
  const words = ['/bin/sh', '-c', script, 'sh', join(directory, 'work'), ...command];
  return ['env', `CAISSON_POD_UID=${uid}`, ...words];
};
/** `running`: the node has reported it. */
const answers = (running: boolean): void => {
  const statuses = running ? [{ name: 'main', state: { running: {} } }] : [];
  const pod = { metadata: named, spec: { nodeName: 'n' }, status: { containerStatuses: statuses } };
  front.answer = (_, response) => response.writeHead(200).end(JSON.stringify(pod));
};

it('starts it before it is reported, and misses no byte', async () => {
  answers(false);
  front.refusals.push(500, 400);
  front.first.push(firstOf('u1', 'sh', '-c', 'echo begun; env | grep -c CAISSON_POD_UID; read x; echo "$x"'));
  const { stdout, wire, isPrepared } = await attachFirst(new Namespace(front.api), { ...named, isNew: true }, patience);
  wire.breakWith(Promise.resolve());
  wire.write(Buffer.from('said\n'));
  expect(await text(stdout)).toBe('begun\n0\nsaid\n');
  expect(isPrepared).toBe(true);
});

it('takes none for it that answers otherwise, or that says nothing and ends', async () => {
  answers(false);
  front.first.push(firstOf('u0', 'true'), ['cat'], ['true'], firstOf('u1', 'echo', 'right'));
  const { stdout, wire } = await attachFirst(new Namespace(front.api), { ...named, isNew: true }, patience);
  wire.breakWith(Promise.resolve());
  expect(await text(stdout)).toBe('right\n');
  expect(front.first).toEqual([]);
}, 30_000);

it('waits for the report of a pod that was there, whose process may have begun', async () => {
  answers(false);
  front.first.push(['cat']);
  const attaching = attachFirst(new Namespace(front.api), { ...named, isNew: false }, patience);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(front.first).toHaveLength(1);
  answers(true);
  const { wire, stdout } = await attaching;
  wire.write(Buffer.from('input\n'));
  const [bytes] = await stdout.take(1).toArray();
  expect(String(bytes)).toMatch(/^\n/);
  wire.close();
});
