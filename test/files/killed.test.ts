import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { copyIn } from '../../src/files/copy-in.ts';
import { copyOut } from '../../src/files/copy-out.ts';
import { processSandbox } from './process-sandbox.ts';
import { scratch } from './scratch.ts';

const program = fileURLToPath(new URL('copier.process.ts', import.meta.url));
const copier = (...args: string[]): ChildProcess & { stdout: NodeJS.ReadableStream } =>
  spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });

/** Sparse, so that it costs nothing to make. */
function large(path: string, bytes: number): void {
  writeFileSync(path, '');
  truncateSync(path, bytes);
}

async function settled(done: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !done(); i++) await setTimeout(25);
}

describe('FT-15 a copy whose process is killed in the middle', () => {
  it.each(['in', 'out'])('of a file (%s) leaves the old one', async (way) => {
    const base = scratch();
    large(join(base, 'source'), 2 ** 31);
    writeFileSync(join(base, 'target'), 'old');
    const child = copier(way, join(base, 'source'), join(base, 'target'));
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(readFileSync(join(base, 'target'), 'utf8')).toBe('old');
    // What the sandbox had unpacked goes by itself; what the host had waits for the next copy.
    const left = (): string[] => readdirSync(base).filter((name) => name.startsWith('.caisson'));
    await settled(() => left().length === (way === 'in' ? 0 : 1));
    expect(left().length).toBe(way === 'in' ? 0 : 1);
    expect(readFileSync(join(base, 'target'), 'utf8')).toBe('old');
  });

  it('of a tree between two files leaves none of it', async () => {
    const base = scratch();
    execFileSync('sh', ['-c', 'mkdir tree && cd tree && for i in $(seq 400); do truncate -s 1M $i; done'], {
      cwd: base,
    });
    const child = copier('in', join(base, 'tree'), join(base, 'target'));
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await settled(() => !readdirSync(base).some((name) => name.startsWith('.caisson')));
    expect(readdirSync(base)).toEqual(['tree']);
  });
});

describe('a copy that is canceled', () => {
  it.each([
    ['in', copyIn],
    ['out', copyOut],
  ] as const)('(%s) ends at once and leaves nothing', async (_way, copy) => {
    const base = scratch();
    large(join(base, 'source'), 2 ** 32);
    const controller = new AbortController();
    const running = copy(processSandbox(), {
      source: join(base, 'source'),
      target: join(base, 'target'),
      signal: controller.signal,
      onProgress: ({ done }) => {
        if ((done ?? 0) > 2 ** 20) controller.abort();
      },
    });
    await expect(running).rejects.toMatchObject({ code: 'canceled' });
    expect(readdirSync(base)).toEqual(['source']);
  });

  it('before it began starts nothing', async () => {
    const base = scratch();
    writeFileSync(join(base, 'source'), 'x');
    for (const copy of [copyIn, copyOut]) {
      const running = copy(processSandbox(), {
        source: join(base, 'source'),
        target: join(base, 'target'),
        signal: AbortSignal.abort(),
      });
      await expect(running).rejects.toMatchObject({ code: 'canceled' });
    }
    expect(existsSync(join(base, 'target'))).toBe(false);
  });

  it('by its own limit of time is timed out', async () => {
    const base = scratch();
    large(join(base, 'source'), 2 ** 34);
    const running = copyOut(processSandbox(), {
      source: join(base, 'source'),
      target: join(base, 'target'),
      limits: { durationMs: 300 },
    });
    await expect(running).rejects.toMatchObject({ code: 'timed_out' });
    expect(readdirSync(base)).toEqual(['source']);
  });
});

describe('FT-14 a large file', () => {
  it.each(['in', 'out'])('(%s) passes through in little memory', async (way) => {
    const base = scratch();
    large(join(base, 'source'), 2 ** 29);
    const child = copier(way, join(base, 'source'), join(base, 'target'));
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(statSync(join(base, 'target')).size).toBe(2 ** 29);
    const { grownBytes } = JSON.parse(said.split('\n')[1] ?? '') as { grownBytes: number };
    expect(grownBytes).toBeLessThan(64 * 2 ** 20);
  });
});
