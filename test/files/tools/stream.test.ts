/** A file that is larger than memory may take, as its reader takes it. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTool, runTool } from '../../../src/files/tools/run.ts';
import { type Open, streamFile } from '../../../src/files/tools/stream.ts';
import { readFile, type Run } from '../../../src/files/tools/tools.ts';
import type { Sandbox } from '../../../src/backend.ts';
import { printingSandbox, processSandbox } from '../process-sandbox.ts';
import { scratch } from '../scratch.ts';

const large = 12 * 1024 * 1024 + 7;

function waysTo(sandbox: Sandbox) {
  const run: Run = (tool) => runTool(sandbox, { ...tool, args: [...tool.args, ''] });
  const open: Open = async function* (tool) {
    yield* await openTool(sandbox, { ...tool, args: [...tool.args, ''] });
  };
  return { run, open };
}

function written(size: number) {
  const [path, bytes] = [join(scratch(), 'file'), randomBytes(size)];
  writeFileSync(path, bytes);
  return { path, bytes };
}

describe('a file that is read as a stream', () => {
  it('comes whole, by as many scripts as one of any other size', async () => {
    const [sandbox, { path, bytes }] = [processSandbox(), written(large)];
    const { size, sha256, parts } = await streamFile(waysTo(sandbox), { path });
    expect({ size, sha256 }).toEqual({ size: large, sha256: null });
    expect(Buffer.concat(await Array.fromAsync(parts)).equals(bytes)).toBe(true);
    expect(sandbox.commands).toHaveLength(3);
  });

  it('comes with its digest, and by one script, when it is small', async () => {
    const [sandbox, { path, bytes }] = [processSandbox(), written(1000)];
    const { sha256, parts } = await streamFile(waysTo(sandbox), { path });
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(Buffer.concat(await Array.fromAsync(parts)).equals(bytes)).toBe(true);
    expect(sandbox.commands).toHaveLength(1);
  });

  it('ends its script when the reader leaves', async () => {
    const [sandbox, { path }] = [processSandbox(), written(large)];
    const signals: string[] = [];
    const watched: Sandbox = {
      ...sandbox,
      exec: async (command, options) => {
        const process = await sandbox.exec(command, options);
        const kill = (signal: string): Promise<void> => {
          signals.push(signal);
          return process.kill(signal);
        };
        return { ...process, kill };
      },
    };
    const { parts } = await streamFile(waysTo(watched), { path });
    let seen = 0;
    for await (const part of parts) if ((seen += part.length) > 5 * 1024 * 1024) break;
    expect(signals).toEqual(['SIGKILL']);
  });

  it('is a conflict when it grows on the way', async () => {
    const { path } = written(large);
    const { parts } = await streamFile(waysTo(processSandbox()), { path });
    const read = async (): Promise<void> => {
      for await (const part of parts) appendFileSync(path, part.subarray(0, 1));
    };
    await expect(read()).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is bounded by the size that the sandbox named', async () => {
    const endless = function* (): Generator<Buffer, void, void> {
      yield Buffer.from(`${large}\n`);
      for (let sent = 0; sent < 4 * large; sent += 65_536) yield Buffer.alloc(65_536);
    };
    const { parts } = await streamFile(
      { ...waysTo(printingSandbox(endless())), run: async () => ({ bytes: first(), failure: null }) },
      { path: '/file' },
    );
    await expect(Array.fromAsync(parts)).rejects.toMatchObject({ code: 'conflict' });
  });
});

const first = (): Buffer => Buffer.concat([Buffer.from(`${large}\n`), Buffer.alloc(4 * 1024 * 1024)]);

describe('a part of a file', () => {
  it.each([0, 1, 65_535, 65_536, 65_537, 131_072, 1_000_000, 2_000_000])(
    'from byte %i on is that part',
    async (offset) => {
      const { path, bytes } = written(1_500_000);
      const read = await readFile(waysTo(processSandbox()).run, { path, offset, length: 1000 });
      expect(read.size).toBe(bytes.length);
      expect(read.bytes.equals(bytes.subarray(offset, offset + 1000))).toBe(true);
    },
  );
});
