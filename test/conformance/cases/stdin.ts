import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { finish, readUntil, run, sh, start } from '../command.ts';
import type { Suite } from '../suite.ts';

const mebibyte = 2 ** 20;

export function stdinCases(suite: Suite): void {
  suite.test('stdin.absent', 'gives end of file at once when no stdin was asked for', async (place) => {
    const process = await start(await place.sandbox(), ['cat']);
    expect(process.stdin).toBeNull();
    expect(await finish(process)).toMatchObject({ exitCode: 0, stdout: Buffer.alloc(0) });
  });

  suite.test('stdin.end', 'gives end of file when stdin is ended, not before', async (place) => {
    const process = await start(await place.sandbox(), ['cat'], { keepStdin: true });
    process.stdin?.write('first\n');
    expect(await readUntil(process.stdout, 'first\n')).toBe('first\n');
    const early = await Promise.race([process.wait().then(() => 'ended'), sleep(300).then(() => 'running')]);
    expect(early).toBe('running');
    process.stdin?.end('last');
    expect(await finish(process)).toMatchObject({ exitCode: 0, stdout: Buffer.from('last') });
  });

  suite.test('stdin.dialogue', 'answers line by line', async (place) => {
    const process = await start(
      await place.sandbox(),
      ['sh', '-c', 'while read -r line; do echo "got $line"; done; echo bye'],
      { keepStdin: true },
    );
    for (const word of ['one', 'two', 'three']) {
      process.stdin?.write(`${word}\n`);
      expect(await readUntil(process.stdout, '\n')).toBe(`got ${word}\n`);
    }
    process.stdin?.end();
    expect((await finish(process)).stdout.toString()).toBe('bye\n');
  });

  suite.test('stdin.closed-early', 'does not fail when a command closes its stdin early (OH-14)', async (place) => {
    const process = await start(await place.sandbox(), ['sh', '-c', 'head -c 5; exec <&-; sleep 0.3; exit 3'], {
      keepStdin: true,
    });
    process.stdin?.on('error', () => undefined);
    process.stdin?.write(Buffer.alloc(mebibyte, 'x'));
    process.stdin?.end();
    expect(await finish(process)).toMatchObject({ exitCode: 3, stdout: Buffer.from('xxxxx') });
  });

  suite.test('stdin.unread-end', 'settles when a command ends without reading what was written', async (place) => {
    const process = await start(await place.sandbox(), ['sh', '-c', 'exit 3'], { keepStdin: true });
    process.stdin?.on('error', () => undefined);
    process.stdin?.write(Buffer.alloc(4 * mebibyte, 'x'));
    expect(await finish(process)).toMatchObject({ exitCode: 3 });
  });

  suite.test('stdin.held', 'holds a writer whose command does not read', async (place) => {
    const sandbox = await place.create();
    const process = await start(sandbox, ['sleep', '60'], { keepStdin: true });
    let isWritten = false;
    process.stdin?.on('error', () => undefined);
    process.stdin?.write(Buffer.alloc(16 * mebibyte, 'x'), (error) => (isWritten = !(error instanceof Error)));
    await sleep(700);
    expect(isWritten).toBe(false);
    await process.kill('SIGKILL');
    await process.wait();
    process.release();
    await place.destroy(sandbox);
  });

  suite.test('stdin.large', 'passes 16 MiB through a command that reads slowly at first', async (place) => {
    const process = await start(await place.sandbox(), ['sh', '-c', 'sleep 0.5; wc -c'], { keepStdin: true });
    const block = Buffer.alloc(mebibyte, 'x');
    const written = (async () => {
      for (let index = 0; index < 16; index += 1)
        if (process.stdin?.write(block) === false) await once(process.stdin, 'drain');
      process.stdin?.end();
    })();
    const { stdout } = await finish(process);
    await written;
    expect(Number(stdout)).toBe(16 * mebibyte);
  });

  suite.test('stdin.reopened', 'lets a command open its stdin by path', async (place) => {
    const { exitCode, stdout } = await run(await place.sandbox(), ['cat', '/dev/stdin'], { stdin: 'by path' });
    expect({ exitCode, text: stdout.toString() }).toEqual({ exitCode: 0, text: 'by path' });
  });

  suite.test('stdin.script', 'feeds a shell that reads its script from stdin', async (place) => {
    const { exitCode, stdout } = await run(await place.sandbox(), ['sh', '-s', 'arg'], {
      stdin: 'echo "$1"\nexit 8\n',
    });
    expect({ exitCode, text: stdout.toString() }).toEqual({ exitCode: 8, text: 'arg\n' });
  });

  suite.test('stdin.empty', 'takes an empty stdin', async (place) => {
    const { stdout } = await run(await place.sandbox(), ['wc', '-c'], { stdin: '' });
    expect(Number(stdout)).toBe(0);
    expect((await sh(await place.sandbox(), 'read -r x || echo eof', { stdin: '' })).stdout.toString()).toBe('eof\n');
  });
}
