import { expect } from 'vitest';
import type { PtyProcess, Sandbox } from '../../../src/backend.ts';
import { collect, readUntil } from '../command.ts';
import type { Suite } from '../suite.ts';

type Command = readonly [string, ...string[]];

export function terminalCases(suite: Suite): void {
  if (!suite.place.facets.pty) {
    suite.absent('terminal.absent', 'has no pty facet, also on an attached sandbox', async (place) => {
      const sandbox = await place.sandbox();
      expect((await place.backend.attach(sandbox.ref)).pty).toBeUndefined();
    });
    return;
  }

  suite.test(
    'terminal.size',
    'runs on a terminal of the size that was asked for, from soon after its start',
    async (place) => {
      const text =
        '[ -t 0 ] && [ -t 1 ] && [ -t 2 ] || exit 9; i=0; while [ $i -lt 100 ]; do s=$(stty size 2>&1); [ "$s" = "37 101" ] && break; sleep 0.05; i=$((i+1)); done; echo "$s"';
      const process = await terminal(await place.sandbox(), ['sh', '-c', text]);
      expect(await output(process)).toContain('37 101');
      expect((await process.wait()).exitCode).toBe(0);
    },
  );

  suite.test('terminal.resize', 'receives a new size, with SIGWINCH', async (place) => {
    const process = await terminal(await place.sandbox(), [
      'sh',
      '-c',
      'trap "stty size; exit 0" WINCH; echo ready; while :; do sleep 0.1; done',
    ]);
    await readUntil(process.stdout, 'ready');
    await process.resize(120, 50);
    expect(await output(process)).toContain('50 120');
    await process.wait();
  });

  suite.test('terminal.one-stream', 'has one stream, and an empty stderr', async (place) => {
    const process = await terminal(await place.sandbox(), ['sh', '-c', 'echo out; echo err >&2']);
    const [stdout, stderr] = await Promise.all([output(process), collect(process.stderr)]);
    expect(stdout).toContain('out\r\nerr\r\n');
    expect(stderr.length).toBe(0);
  });

  suite.test('terminal.interrupt', 'turns Ctrl-C into SIGINT (OH-15)', async (place) => {
    const process = await terminal(await place.sandbox(), [
      'sh',
      '-c',
      'trap "echo caught; exit 6" INT; echo ready; while :; do sleep 0.1; done',
    ]);
    await readUntil(process.stdout, 'ready');
    process.stdin?.write('\u0003');
    expect(await output(process)).toContain('caught');
    expect((await process.wait()).exitCode).toBe(6);
  });

  suite.test('terminal.end-of-file', 'turns Ctrl-D into end of file', async (place) => {
    const process = await terminal(await place.sandbox(), ['sh', '-c', 'echo ready; cat; echo over']);
    await readUntil(process.stdout, 'ready');
    process.stdin?.write('line\n');
    await readUntil(process.stdout, 'line');
    process.stdin?.write('\u0004');
    expect(await output(process)).toContain('over');
    expect((await process.wait()).exitCode).toBe(0);
  });

  suite.test('terminal.kill', 'is killed like any command', async (place) => {
    const process = await terminal(await place.sandbox(), ['sh', '-c', 'echo up; exec sleep 300']);
    await readUntil(process.stdout, 'up');
    await process.kill('SIGKILL');
    process.stdout.resume();
    const end = await process.wait();
    expect(end.exitCode === 137 || end.signal === 'SIGKILL').toBe(true);
    process.release();
  });

  suite.test('terminal.raw', 'passes all bytes once the terminal is raw, and needs no framing', async (place) => {
    const process = await terminal(await place.sandbox(), [
      'sh',
      '-c',
      'stty raw -echo; echo ready; head -c 512 | od -An -v -tu1',
    ]);
    await readUntil(process.stdout, 'ready');
    const sent = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
    process.stdin?.write(sent);
    const numbers = (await output(process)).trim().split(/\s+/).map(Number);
    expect(numbers).toEqual([...sent]);
  });
}

async function terminal(sandbox: Sandbox, command: Command): Promise<PtyProcess> {
  if (sandbox.pty === undefined) throw new Error('the pty facet is missing on this object');
  return await sandbox.pty.exec(command, { cwd: '/', env: { TERM: 'dumb' }, columns: 101, rows: 37 });
}

async function output(process: PtyProcess): Promise<string> {
  return (await collect(process.stdout)).toString('utf8');
}
