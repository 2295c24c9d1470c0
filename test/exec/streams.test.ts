import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { collect } from '../../src/exec/collect.ts';
import { startExec } from '../../src/exec/start.ts';
import { bare, requestFor, where } from './requests.ts';
import { gone, MemoryRecorder, scripted } from './running.ts';
import { ScriptedProcess, scriptedSandbox } from './scripted.ts';

describe('the streams of an exec', () => {
  it('stop the command when their reader stops', async () => {
    const { process, execution } = await scripted();
    const chunk = Buffer.alloc(64 * 1024);
    let written = 0;
    while (written < 16 * 1024 * 1024 && process.stdout.write(chunk)) {
      written += chunk.length;
      await sleep(0);
    }
    expect(written).toBeLessThan(2 * 1024 * 1024);
    execution.stdout.resume();
    await new Promise((resolve) => process.stdout.once('drain', resolve));
    process.endStreams();
    process.exit();
    await execution.exit;
  });

  it('stop the command when the disk is behind', async () => {
    const recorder = new MemoryRecorder();
    const disk = Promise.withResolvers<void>();
    recorder.behind = disk.promise;
    const { process, execution } = await scripted({}, { where, recorder });
    process.stdout.write('one');
    await sleep(10);
    process.stdout.write('two');
    await sleep(10);
    expect(recorder.kept).toEqual(['stdout one']);
    recorder.behind = undefined;
    disk.resolve();
    await sleep(10);
    expect(recorder.kept).toEqual(['stdout one', 'stdout two']);
    process.endStreams();
    process.exit();
    await execution.exit;
    expect(recorder.exits).toEqual(['exited']);
  });

  it('let the command run on when they are ignored, and are recorded all the same', async () => {
    const recorder = new MemoryRecorder();
    const { process, execution } = await scripted({}, { where, recorder });
    execution.ignore('stderr');
    for (let i = 0; i < 50; i++)
      if (!process.stderr.write('e'.repeat(65_536)))
        await new Promise((resolve) => process.stderr.once('drain', resolve));
    process.endStreams();
    process.exit();
    const { exit, stderr } = await collect(execution, { keepBytes: 100 });
    expect(exit.stderr).toEqual({ bytes: 50 * 65_536, truncated: false, complete: true });
    expect(stderr.bytes).toBe(0);
    expect(recorder.kept.reduce((sum, line) => sum + line.length - 'stderr '.length, 0)).toBe(50 * 65_536);
  });

  it('have ended also when they ended before anybody could listen', async () => {
    const process = new ScriptedProcess();
    for (const stream of [process.stdout, process.stderr]) {
      stream.end().read(0);
      await once(stream, 'end');
    }
    const execution = await startExec(scriptedSandbox(process, gone), requestFor(['true']), bare);
    process.exit();
    process.prove({ is: 'ended' });
    expect(await execution.exit).toMatchObject({ backgroundOpen: false, notes: [] });
  });

  it('tell that they were cut off also when that was before anybody could listen', async () => {
    const process = new ScriptedProcess();
    process.stderr.destroy();
    const execution = await startExec(scriptedSandbox(process, gone), requestFor(['true']), bare);
    process.stdout.end();
    process.exit();
    const { backgroundOpen, stderr, notes } = await execution.exit;
    expect([backgroundOpen, stderr.truncated]).toEqual([false, true]);
    expect(notes).toEqual([expect.stringContaining('stderr broke before its end')]);
  });

  it('let the command run on when their reader goes away', async () => {
    const { process, execution } = await scripted();
    execution.stdout.destroy();
    for (let i = 0; i < 50; i++)
      if (!process.stdout.write(Buffer.alloc(65_536)))
        await new Promise((resolve) => process.stdout.once('drain', resolve));
    process.endStreams();
    process.exit();
    expect((await execution.exit).stdout.bytes).toBe(50 * 65_536);
  });
});
