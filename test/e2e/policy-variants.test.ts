/** SEC-F12: variants of each class that passed, each really run against a stub first: only forms that run count. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classes, randomFrom } from '../policy/audited/classes.ts';
import { decide } from '../policy/opened.ts';

const run = promisify(execFile);
const variants = Number(process.env['CAISSON_LOAD_VARIANTS'] ?? 100);
const fewest = variants / 5;
const atOnce = 4;

describe('variants of forms that passed', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'caisson-variants-'));
    await mkdir(join(root, 'bin'));
    await writeFile(join(root, 'bin/mkfs.ext4'), '#!/bin/sh\n: >"$STUB_MARKER"\n');
    await chmod(join(root, 'bin/mkfs.ext4'), 0o755);
  });
  afterAll(async () => await rm(root, { recursive: true, force: true }));

  async function runs(text: string, id: string): Promise<boolean> {
    const directory = join(root, id);
    await mkdir(directory);
    const marker = join(root, `${id}.ran`);
    const env = { PATH: `${join(root, 'bin')}:/usr/bin:/bin`, HOME: directory, STUB_MARKER: marker };
    const how = { cwd: directory, env, timeout: 2000, killSignal: 'SIGKILL' as const };
    const running = run('setsid', ['-w', 'bash', '-c', text], how);
    running.child.stdin?.end();
    await running.catch(() => undefined);
    await rm(directory, { recursive: true, force: true });
    return existsSync(marker);
  }

  it.each(Object.entries(classes))('%s: at most 1 % pass', { timeout: 300_000 }, async (name, generate) => {
    const random = randomFrom(name.length);
    const texts = [...new Set(Array.from({ length: 3 * variants }, () => generate(random)))].slice(0, variants);
    const that: string[] = [];
    const queue = [...texts.entries()];
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift())
        if (await runs(next[1], `${name.length}-${next[0]}`)) that.push(next[1]);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    expect(that.length).toBeGreaterThan(fewest);
    const passing = that.filter((text) => decide(text).verdict === 'allow');

    // The first of them, where they are too many.
    expect(passing.length <= that.length / 100 ? [] : passing.slice(0, 5)).toEqual([]);
  });
});
