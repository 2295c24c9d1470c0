/** Streams of the Python clients whose connections break at random bytes. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { homeFor } from '../api/subjects/embedded.ts';
import { report } from '../counts.ts';
import { cuttingProxy } from '../fixtures/cutting-proxy.ts';
import { byField, python } from './python.ts';
import { foreignService } from './service.ts';

const count = 100;

/** The more requests an exec had, the later they break, so that each comes to its end. */
function randomCuts(): (request: string) => number {
  const had = new Map<string, number>();
  return (request) => {
    const execId = /exec_cut-\d+/.exec(request)?.[0] ?? '';
    const times = (had.get(execId) ?? 0) + 1;
    had.set(execId, times);
    return Math.ceil(Math.random() * Math.min(times, 20) * 2000);
  };
}

it(`${count} streams that break at random bytes have every byte once and in order, and each ran once`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'caisson-python-cut-'));
  const runs = join(folder, 'runs');
  try {
    await using service = await foreignService(homeFor('{backend: local}', {}, 'approvals: {mode: "off"}\n'));
    await using proxy = await cuttingProxy(service.port, randomCuts(), 'request');
    const env = { ...service.env, CAISSON_URL: `http://127.0.0.1:${proxy.port}` };
    const found = byField(await python(['cut.py', '0', String(count), runs], env), 'name');
    expect([...found.values()].filter(({ fault }) => fault !== null)).toEqual([]);
    const names = Array.from({ length: count }, (_, index) => `cut-${index}`);
    expect([...found.keys()].toSorted()).toEqual(names.toSorted());
    expect((await readFile(runs, 'utf8')).trim().split('\n').toSorted()).toEqual(names.toSorted());
    report({ streams: count, cuts: proxy.cuts() });
    expect(proxy.cuts()).toBeGreaterThan(count);
  } finally {
    await rm(folder, { recursive: true });
  }
}, 300_000);
