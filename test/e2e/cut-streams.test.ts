/** Streams of events whose connections break at random bytes, and that are resumed until the exit. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { report } from '../counts.ts';
import { dockerHost } from '../engines/docker.ts';
import { cuttingProxy } from '../fixtures/cutting-proxy.ts';
import { makeHome } from './home.ts';
import { openOn } from './http-service.ts';
import { bytesOf, type Framing, readThrough } from './resuming.ts';

const lines = 40;
/** Text, bytes that are no UTF-8, characters cut in two, and lines longer than most events; every tenth line to stderr. */
const script = (name: string, file: string): string =>
  `echo ${name} >> ${file}; i=0; while [ $i -lt ${lines} ]; do i=$((i+1)); printf '${name}-%s \\303' $i; ` +
  String.raw`printf '\251 \377\n'; [ $((i % 10)) -gt 0 ] || { head -c 3000 /dev/zero | tr '\0' x; echo err-$i >&2; sleep 0.05; }; done`;

function written(name: string): { readonly stdout: Buffer; readonly stderr: string } {
  const numbers = Array.from({ length: lines }, (_, index) => index + 1);
  const line = (i: number): readonly Buffer[] => [
    Buffer.from(`${name}-${i} é `),
    Buffer.from([255, 10]),
    Buffer.alloc(i % 10 === 0 ? 3000 : 0, 'x'),
  ];
  const tens = numbers.filter((i) => i % 10 === 0);
  return { stdout: Buffer.concat(numbers.flatMap(line)), stderr: tens.map((i) => `err-${i}\n`).join('') };
}

/** The more connections an exec had, the later they break, so that each comes to its end. */
function randomCuts(): (request: string) => number {
  const had = new Map<string, number>();
  return (request) => {
    const execId = /exec_[a-z]+-\d+/.exec(request)?.[0] ?? '';
    const times = (had.get(execId) ?? 0) + 1;
    had.set(execId, times);
    return Math.ceil(Math.random() * Math.min(times, 20) * 2000);
  };
}

describe.each([
  { backend: 'local', count: Number(process.env['CAISSON_LOAD_CUT'] ?? 200), sandboxes: 1 },
  { backend: 'docker', count: Number(process.env['CAISSON_LOAD_CUT_DOCKER'] ?? 20), sandboxes: 2 },
])('on $backend', ({ backend, count, sandboxes }) => {
  it(`${count} streams that break at random bytes have every byte once and in order, and each ran once`, async () => {
    await using home = await makeHome(dockerHost());
    const service = await openOn(home, backend);
    const tasks = Array.from({ length: sandboxes }, (_, index) => `cut-${index}`);
    const folder = await mkdtemp(join(tmpdir(), 'caisson-cut-'));
    const runs = backend === 'local' ? join(folder, 'runs') : '/workspace/runs';
    try {
      for (const taskId of tasks) await service.ask('/v1/sandboxes', { body: { taskId } });
      await using proxy = await cuttingProxy(Number(new URL(service.url).port), randomCuts());
      const names = Array.from({ length: count }, (_, index) => `cut-${index}`);
      const bytes = { sent: 0, framings: { ndjson: 0, sse: 0 } };
      const one = async (name: string, index: number): Promise<void> => {
        const framing: Framing = index % 2 === 0 ? 'ndjson' : 'sse';
        const events = await readThrough({
          url: `http://127.0.0.1:${proxy.port}`,
          token: service.token,
          framing,
          execs: `/v1/sandboxes/${tasks[index % sandboxes]}/execs`,
          execId: `exec_${name}`,
          command: ['sh', '-c', script(name, runs)],
        });
        const wanted = written(name);
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
        expect(events.map(({ execId }) => execId)).toEqual(events.map(() => `exec_${name}`));
        expect(bytesOf(events).equals(wanted.stdout), `stdout of ${name}`).toBe(true);
        expect(bytesOf(events, 'stderr').toString()).toBe(wanted.stderr);
        expect(events.at(-1)).toMatchObject({ exit: { reason: 'exited', exitCode: 0, stdout: { complete: true } } });
        bytes.sent += wanted.stdout.length + wanted.stderr.length;
        bytes.framings[framing] += 1;
      };
      await inTurns(names, 16, one);
      const ran: string[] = [];
      for (const taskId of tasks) {
        const cat = { command: ['cat', runs] };
        const { stdout } = Object(
          await (await service.ask(`/v1/sandboxes/${taskId}/execs`, { body: cat, accept: 'application/json' })).json(),
        );
        ran.push(...String(stdout.text).trim().split('\n'));
      }
      expect(ran.toSorted()).toEqual(names.toSorted());
      const { ndjson, sse } = bytes.framings;
      report({ backend, ndjson, sse, cuts: proxy.cuts(), bytes: bytes.sent });
      expect(proxy.cuts()).toBeGreaterThan(count);
    } finally {
      for (const taskId of [...tasks, 'build']) await service.ask(`/v1/sandboxes/${taskId}`, { method: 'DELETE' });
      await service.stop();
      await rm(folder, { recursive: true });
    }
  }, 300_000);
});

async function inTurns<T>(
  all: readonly T[],
  max: number,
  work: (each: T, index: number) => Promise<void>,
): Promise<void> {
  const left = all.entries();
  await Promise.all(
    Array.from({ length: max }, async () => {
      for (const [index, each] of left) await work(each, index);
    }),
  );
}
