/** Watches in a place with BusyBox alone, and sandboxes that lie. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWatch } from '../../../src/files/watch/watch.ts';
import type { Sandbox } from '../../../src/backend.ts';
import { printingSandbox, processSandbox } from '../process-sandbox.ts';
import { busyboxPath, scratch } from '../scratch.ts';

const open = (sandbox: Sandbox, path: string, signal = new AbortController().signal) =>
  openWatch(sandbox, { path, real: false, recursive: true, intervalMs: 20, signal });

describe.each(['BusyBox', 'the tools of this host'])('a watch with %s', (tools) => {
  it('sees what comes, changes and goes', async () => {
    const base = scratch();
    const path = join(base, 'tree');
    mkdirSync(join(path, 'sub'), { recursive: true });
    writeFileSync(join(path, 'sub', 'a'), '1');
    const sandbox = tools === 'BusyBox' ? processSandbox(busyboxPath(base)) : processSandbox();
    const watch = await open(sandbox, path);
    writeFileSync(join(path, 'sub', 'b\n'), '');
    expect(await watch.next()).toEqual({
      done: false,
      value: { type: 'created', path: 'sub/b\n', kind: 'file' },
    });
    writeFileSync(join(path, 'sub', 'a'), '22');
    expect((await watch.next()).value).toEqual({ type: 'modified', path: 'sub/a', kind: 'file' });
    rmSync(path, { recursive: true });
    const left = await Array.fromAsync(watch);
    expect(left.at(-1)).toEqual({ type: 'end', reason: 'directory' });
    expect(sandbox.commands).toHaveLength(1);
  });

  it('ends when its signal fires, with the reason of the signal', async () => {
    const path = scratch();
    const leaving = new AbortController();
    const watch = await open(
      tools === 'BusyBox' ? processSandbox(busyboxPath(scratch())) : processSandbox(),
      path,
      leaving.signal,
    );
    setTimeout(() => leaving.abort(), 50);
    await expect(watch.next()).rejects.toMatchObject({ code: 'canceled' });
  });
});

describe('a sandbox that lies', () => {
  const endless = function* (): Generator<Buffer> {
    for (;;) yield Buffer.alloc(65_536, '//same\n');
  };
  it.each([
    ['never stops', endless()],
    ['prints what is no listing', Buffer.from('anything\n//end\n')],
    ['prints facts that are none', Buffer.from('./a//81a4 1 \u001b[31m\n//end\n')],
    ['answers before it is asked', Buffer.from('//same\n//same\n')],
    ['says nothing and ends', Buffer.from('')],
    ['is gone at once', Buffer.from('//gone\n')],
  ])('and %s is refused', async (_, said) => {
    await expect(open(printingSandbox(said), '/x')).rejects.toMatchObject({
      code: expect.stringMatching(/^(failed_precondition|not_found)$/),
    });
  });
});
