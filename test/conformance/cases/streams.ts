import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { run, sh } from '../command.ts';
import type { Suite } from '../suite.ts';

const mebibyte = 2 ** 20;

export function streamCases(suite: Suite): void {
  suite.test('streams.apart', 'keeps stdout and stderr apart, each in its order (OH-09)', async (place) => {
    const text = 'i=0; while [ $i -lt 300 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done';
    const { stdout, stderr } = await sh(await place.sandbox(), text);
    const wanted = (letter: string): string =>
      Array.from({ length: 300 }, (_, index) => `${letter}${index}\n`).join('');
    expect(stdout.toString()).toBe(wanted('o'));
    expect(stderr.toString()).toBe(wanted('e'));
  });

  suite.test('streams.all-bytes', 'passes every byte value on both streams', async (place) => {
    const octal = Array.from({ length: 256 }, (_, byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
    const { stdout, stderr } = await sh(await place.sandbox(), `printf '${octal}'; printf '${octal}' >&2`);
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    expect(stdout.equals(all)).toBe(true);
    expect(stderr.equals(all)).toBe(true);
  });

  suite.test('streams.binary', 'passes 1 MiB of random bytes in and out unchanged', async (place) => {
    const sent = randomBytes(mebibyte);
    const { exitCode, stdout } = await run(await place.sandbox(), ['cat'], { stdin: sent });
    expect({ exitCode, length: stdout.length, hash: sha256(stdout) }).toEqual({
      exitCode: 0,
      length: sent.length,
      hash: sha256(sent),
    });
  });

  suite.test('streams.hash-inside', 'gives a command the very bytes that were written', async (place) => {
    const sent = randomBytes(mebibyte);
    const { stdout } = await run(await place.sandbox(), ['sha256sum'], { stdin: sent });
    expect(stdout.toString().slice(0, 64)).toBe(sha256(sent));
  });

  suite.test('streams.both-full', 'reads 8 MiB from each stream at once', async (place) => {
    const text = 'head -c 8388608 /dev/zero & head -c 8388608 /dev/zero | tr "\\000" e >&2; wait';
    const { exitCode, stdout, stderr } = await sh(await place.sandbox(), text);
    expect({ exitCode, stdout: stdout.length, stderr: stderr.length }).toEqual({
      exitCode: 0,
      stdout: 8 * mebibyte,
      stderr: 8 * mebibyte,
    });
    expect(stdout.every((byte) => byte === 0) && stderr.every((byte) => byte === 101)).toBe(true);
  });

  suite.test('streams.tiny-writes', 'takes 10,000 writes of one byte', async (place) => {
    const text = 'i=0; while [ $i -lt 10000 ]; do printf $((i%10)); i=$((i+1)); done';
    const { exitCode, stdout } = await sh(await place.sandbox(), text);
    expect(exitCode).toBe(0);
    expect(stdout.toString()).toBe('0123456789'.repeat(1000));
  });

  suite.test('streams.long-line', 'passes one line of 4 MiB', async (place) => {
    const { stdout } = await sh(await place.sandbox(), 'head -c 4194304 /dev/zero | tr "\\000" x');
    expect(stdout.length).toBe(4 * mebibyte);
    expect(stdout.every((byte) => byte === 120)).toBe(true);
  });

  suite.test('streams.concurrent', 'does not mix the streams of 20 commands at once', async (place) => {
    const sandbox = await place.sandbox();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        sh(sandbox, `i=0; while [ $i -lt 50 ]; do echo ${index}; echo e${index} >&2; i=$((i+1)); done; exit ${index}`),
      ),
    );
    for (const [index, { exitCode, stdout, stderr }] of results.entries()) {
      expect(exitCode).toBe(index);
      expect(stdout.toString()).toBe(`${index}\n`.repeat(50));
      expect(stderr.toString()).toBe(`e${index}\n`.repeat(50));
    }
  });

  suite.test('streams.prompt', 'delivers bytes as they come, not at the end', async (place) => {
    const sandbox = await place.sandbox();
    const process = await sandbox.exec(['sh', '-c', 'printf "> "; sleep 30'], { cwd: '/', env: {}, stdin: false });
    const first = await Promise.race([
      process.wait().then(() => 'the command ended first'),
      new Promise((resolve) => process.stdout.once('data', (chunk) => resolve(String(chunk)))),
    ]);
    await process.kill('SIGKILL');
    process.release();
    expect(first).toBe('> ');
  });
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
