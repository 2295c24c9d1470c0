/** The end of a text, reported by a mark among its own words. The shell is played by the test. */
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Session } from '../../../src/exec/session/session.ts';
import { ScriptedProcess } from '../scripted.ts';

async function running() {
  const stdin = new PassThrough();
  const process = Object.assign(new ScriptedProcess(), { stdin });
  const session = new Session(process);
  const opened = session.open('HELLO', Buffer.from('program'));
  process.stdout.write('HELLO:42:sh:0;');
  process.stderr.write('HELLO;');
  await opened;
  const text = session.run('true', {});
  const out = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    text[name].on('data', (chunk: Buffer) => (out[name] += chunk.toString()));
  let ended = false;
  const end = text.wait().finally(() => (ended = true));
  end.catch(() => undefined); // a caller that waits gets it
  const [, tail = '', head = ''] = /^M (\S+)\.(\S+) #\.$/m.exec(String(stdin.read())) ?? [];
  const nonce = `${head}${tail}`;
  expect(nonce).toMatch(/^[\w-]{24}$/);
  const say = async (...chunks: readonly string[]): Promise<void> => {
    for (const chunk of chunks) {
      process.stdout.write(chunk);
      await new Promise(setImmediate);
    }
  };
  return { process, session, nonce, out, say, end, hasEnded: () => ended };
}

describe('the end of a text', () => {
  it('is reported by the whole mark on both streams, split anywhere, and is no part of the output', async () => {
    const { process, nonce, out, say, end, hasEnded } = await running();
    await say('out ', ...`${nonce}:7;`);
    expect([out.stdout, hasEnded()]).toEqual(['out ', false]);
    process.stderr.write(`err ${nonce};`);
    expect((await end).exitCode).toBe(7);
    expect(out).toEqual({ stdout: 'out ', stderr: 'err ' });
  });

  it('is not reported by marks of others, nor by parts of its own, which are output', async () => {
    const { process, nonce, out, say, end, hasEnded } = await running();
    const words = [
      'HELLO:0;',
      nonce.toLowerCase(),
      nonce.slice(0, -1),
      ';',
      nonce.slice(1),
      ':0;',
      `${nonce.slice(0, 20)}\n`,
    ];
    await say(...words);
    process.stderr.write('HELLO;:0;');
    await delay(100);
    expect([hasEnded(), out]).toEqual([false, { stdout: words.join(''), stderr: 'HELLO;:0;' }]);
    await say(`${nonce}:0;`);
    process.stderr.write(`${nonce};`);
    expect((await end).exitCode).toBe(0);
    expect(out.stdout).toBe(words.join(''));
  });

  it.each([':999999;', ';', ':0 ;', `:${'x'.repeat(5000)}`])(
    'is not reported by a mark in another form, which is output: %.10j',
    async (rest) => {
      const { process, nonce, out, say, end } = await running();
      await say(`${nonce}${rest}`, '\n', `${nonce}:3;`);
      process.stderr.write(`${nonce};`);
      expect((await end).exitCode).toBe(3);
      expect(out.stdout).toBe(`${nonce}${rest}\n`);
    },
  );

  it('is reported by the last mark, where a text prints one', async () => {
    const { process, nonce, out, say, end } = await running();
    await say(`${nonce}:0;more`, `${nonce}:4;`);
    process.stderr.write(`${nonce};`);
    expect((await end).exitCode).toBe(4);
    expect(out.stdout).toBe(`${nonce}:0;more`);
  });

  it('does not keep the end of a prompt back, though a mark begins with it', async () => {
    const { process, nonce, out, say, end } = await running();
    const prompt = `name ${nonce.slice(0, 1)}`;
    await say(prompt);
    expect(out.stdout).toBe('name ');
    await expect.poll(() => out.stdout).toBe(prompt);
    await say(nonce.slice(1, 2));
    await expect.poll(() => out.stdout).toBe(nonce.slice(0, 2).padStart(7, 'name '));
    // Nothing of it was forgotten: it might still have been the mark.
    await say(`${nonce.slice(2)}:0;`);
    process.stderr.write(`${nonce};`);
    expect((await end).exitCode).toBe(0);
  });

  it('keeps back what cannot be guessed, however long it takes to come', async () => {
    const { process, nonce, out, say, end } = await running();
    await say(`out ${nonce.slice(0, 3)}`);
    await delay(150);
    expect(out.stdout).toBe('out ');
    await say(`${nonce.slice(3)}:0;`);
    process.stderr.write(`${nonce};`);
    expect((await end).exitCode).toBe(0);
    expect(out.stdout).toBe('out ');
  });

  it('keeps the mark back behind much output, where a full buffer may have split it', async () => {
    const { process, nonce, out, say, end } = await running();
    const much = 'x'.repeat(4096);
    await say(`${much}${nonce.slice(0, 1)}`);
    await delay(150);
    await say(`${nonce.slice(1)}:0;`);
    process.stderr.write(`${nonce};`);
    await end;
    expect(out.stdout).toBe(much);
  });

  it('is reported as lost when the shell goes without it, with all that it wrote', async () => {
    const { process, nonce, out, say, end } = await running();
    await say(`last ${nonce.slice(0, 5)}`);
    process.endStreams();
    process.exit({ exitCode: 9 });
    expect((await end).exitCode).toBe(9);
    await expect.poll(() => out.stdout).toBe(`last ${nonce.slice(0, 5)}`);
  });
});
