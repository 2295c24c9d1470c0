import { expect } from 'vitest';
import { readUntil, run, sh, start } from '../command.ts';
import type { Suite } from '../suite.ts';

export function outputCases(suite: Suite): void {
  suite.test('outputs.ended', 'proves that every byte of a command that has ended is there', async (place) => {
    const process = await start(await place.sandbox(), ['sh', '-c', 'head -c 300000 /dev/zero; echo err >&2; exit 3']);
    const bytes = { stdout: 0, stderr: 0 };
    for (const name of ['stdout', 'stderr'] as const)
      process[name].on('data', (chunk: Buffer) => (bytes[name] += chunk.length));
    expect((await process.wait()).exitCode).toBe(3);
    expect(await process.outputs()).toEqual({ is: 'ended' });
    expect(bytes).toEqual({ stdout: 300_000, stderr: 4 });
    process.release();
  });

  suite.test('outputs.held', 'does not claim the end of a stream that a process holds', async (place) => {
    const sandbox = await place.sandbox();
    const process = await start(sandbox, ['sh', '-c', 'sleep 30 & echo $!']);
    process.stderr.resume();
    const pid = Number(await readUntil(process.stdout, '\n'));
    process.stdout.resume();
    await process.wait();
    const outputs = await process.outputs();
    // A service that carries the streams may not know who holds them; a mark of core's finds that out.
    if (sandbox.relay === true) expect(['held', 'unknown']).toContain(outputs.is);
    else if (outputs.is !== 'unknown') expect(outputs).toMatchObject({ is: 'held', pids: [expect.any(Number)] });
    process.release();
    await sh(sandbox, `kill -9 ${pid}`);
  });

  suite.test(
    'outputs.sent',
    'announces the request before a command can run, and not for one that cannot',
    async (place) => {
      const sandbox = await place.sandbox();
      let sent = 0;
      const options = { cwd: '/', env: {}, stdin: false, onSent: () => (sent += 1) };
      const process = await sandbox.exec(['true'], options);
      for (const stream of [process.stdout, process.stderr]) stream.resume();
      await process.wait();
      process.release();
      expect(sent).toBeGreaterThan(0);
      sent = 0;
      const aborted = sandbox.exec(['true'], { ...options, signal: AbortSignal.abort() });
      await expect(aborted).rejects.toBeDefined();
      expect(sent).toBe(0);
      expect((await run(sandbox, ['true'])).exitCode).toBe(0);
    },
  );
}
