/** Watches over HTTP: what is seen, in which images, and that nothing stays when the reader has left. */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { linesOf, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ heartbeatMs: 100 });
  await world.ask('/v1/sandboxes', { body: { taskId: 'build' } });
});
afterAll(async () => await world[Symbol.asyncDispose]());

type Event = Readonly<Record<string, unknown>>;

const fresh = (): string => mkdtempSync(join(world.root, 'watched-'));

async function watch(path: string, query = '', accept = 'application/x-ndjson') {
  const leaving = new AbortController();
  const at = `/v1/sandboxes/build/files/watch?path=${encodeURIComponent(path)}&intervalMs=200${query}`;
  const response = await world.ask(at, { headers: { accept }, signal: leaving.signal });
  const lines = response.status === 200 && accept !== 'text/event-stream' ? linesOf(response) : null;
  /** The next events of which nothing is a ping. */
  const next = async (count: number): Promise<readonly Event[]> => {
    const events: Event[] = [];
    while (events.length < count) {
      const line = await lines?.next();
      if (line === undefined || line.done === true) break;
      if (line.value['type'] !== 'ping') events.push(line.value);
    }
    return events.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  };
  return { response, next, leave: () => leaving.abort() };
}

/** Processes of watches on this directory, which is an argument that came in a variable. */
function processesOn(path: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`'${path}'`);
    } catch {
      return false;
    }
  });
}

it('tells what is created, modified and removed, with what kind of thing it is', async () => {
  const path = fresh();
  writeFileSync(join(path, 'old'), '1');
  mkdirSync(join(path, 'sub'));
  const { next, leave } = await watch(path);
  writeFileSync(join(path, 'new'), '');
  mkdirSync(join(path, 'directory'));
  symlinkSync('/nowhere', join(path, 'link'));
  expect(await next(3)).toEqual([
    { type: 'created', path: 'directory', kind: 'directory' },
    { type: 'created', path: 'link', kind: 'symlink' },
    { type: 'created', path: 'new', kind: 'file' },
  ]);
  writeFileSync(join(path, 'old'), '2');
  writeFileSync(join(path, 'sub', 'deep'), 'not watched');
  expect(await next(1)).toEqual([{ type: 'modified', path: 'old', kind: 'file' }]);
  rmSync(join(path, 'old'));
  renameSync(join(path, 'new'), join(path, 'other'));
  expect(await next(3)).toEqual([
    { type: 'created', path: 'other', kind: 'file' },
    { type: 'removed', path: 'new', kind: 'file' },
    { type: 'removed', path: 'old', kind: 'file' },
  ]);
  rmSync(join(path, 'other'));
  mkdirSync(join(path, 'other'));
  expect(await next(2)).toEqual([
    { type: 'created', path: 'other', kind: 'directory' },
    { type: 'removed', path: 'other', kind: 'file' },
  ]);
  leave();
});

it('tells of directories below when that is asked for, of replaced files of one size, and of any name', async () => {
  const path = fresh();
  mkdirSync(join(path, 'a', 'b'), { recursive: true });
  writeFileSync(join(path, 'a', 'b', 'same'), 'x');
  const { next, leave } = await watch(path, '&recursive=true');
  const odd = ['-rf', '$(id)', 'a\nb', '//same\n'.replaceAll('/', '_'), ' ', 'é', '*'];
  for (const name of odd) writeFileSync(join(path, 'a', name), '');
  writeFileSync(Buffer.concat([Buffer.from(`${path}/a/`), Buffer.from('ff0afe', 'hex')]), '');
  const events = await next(odd.length + 1);
  expect(new Set(events.map((event) => event['path']))).toEqual(
    new Set([...odd.map((name) => `a/${name}`), 'a/\ufffd\n\ufffd']),
  );
  const bytes = events.find((event) => event['pathBytes'] !== undefined)?.['pathBytes'];
  expect(Buffer.from(String(bytes), 'base64').toString('latin1')).toBe('a/\xff\n\xfe');
  writeFileSync(join(path, 'next'), 'y');
  renameSync(join(path, 'next'), join(path, 'a', 'b', 'same'));
  expect(await next(1)).toContainEqual({ type: 'modified', path: 'a/b/same', kind: 'file' });
  leave();
});

it('says how many changes it leaves out', async () => {
  const path = fresh();
  const { next, leave } = await watch(path);
  for (let index = 0; index < 1500; index++) writeFileSync(join(path, String(index)), '');
  let created = 0;
  let missed = 0;
  while (created + missed < 1500) {
    const [event] = await next(1);
    if (event?.['type'] === 'overflow') missed += Number(event['missed']);
    else created += 1;
  }
  expect(created + missed).toBe(1500);
  leave();
});

it(
  'a directory with too much in it is refused, and one that grows too large says so once',
  { timeout: 60_000 },
  async () => {
    const path = fresh();
    const { next, leave } = await watch(path);
    execFileSync('sh', ['-c', 'seq 1 20100 | xargs touch'], { cwd: path });
    const seen = new Set<unknown>();
    for (;;) {
      const [event] = await next(1);
      seen.add(event?.['type']);
      if (event?.['type'] === 'overflow' && event['missed'] === null) break;
    }
    leave();
    const { response } = await watch(path);
    expect([response.status, Object(await response.json()).code]).toEqual([429, 'resource_exhausted']);
  },
);

it('ends when the directory is gone, or is another one', async () => {
  const [one, other] = [fresh(), fresh()];
  const first = await watch(one);
  const second = await watch(other);
  rmSync(one, { recursive: true });
  renameSync(other, `${other}-moved`);
  mkdirSync(other);
  const end = { type: 'end', reason: 'directory' };
  expect([await first.next(9), await second.next(9)]).toEqual([[end], [end]]);
});

it('what is no directory, not there, or looked at too often is refused', async () => {
  writeFileSync(join(world.root, 'file'), '');
  expect((await watch(join(world.root, 'file'))).response.status).toBe(412);
  expect((await watch(join(world.root, 'none'))).response.status).toBe(404);
  const often = await world.ask(`/v1/sandboxes/build/files/watch?path=${world.root}&intervalMs=1`);
  expect(often.status).toBe(422);
});

it('a reader that leaves, also at once, leaves no process behind', async () => {
  const path = fresh();
  const readers = await Promise.all([watch(path), watch(path), watch(path, '', 'text/event-stream')]);
  expect(processesOn(path).length).toBeGreaterThan(0);
  for (const { leave } of readers) leave();
  await expect.poll(() => processesOn(path), { timeout: 20_000 }).toEqual([]);
});

it('is SSE when that is accepted', async () => {
  const path = fresh();
  const { response, leave } = await watch(path, '', 'text/event-stream');
  writeFileSync(join(path, 'new'), '');
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes('created')) break;
  }
  expect(text).toContain('event: created\ndata: {"type":"created","path":"new","kind":"file"}\n\n');
  leave();
});
