import { describe, expect, it } from 'vitest';
import { run } from '../../images/builder/run.ts';
import { isCode } from '../../src/errors.ts';

const options = { env: process.env, remedy: 'do this' };

describe('a host program of the builder', () => {
  it('fails with its last words and what to do, and keeps no more than a few', async () => {
    const failure = await run(['sh', '-c', 'seq 1000; echo last >&2; exit 3'], options).catch(
      (error: unknown) => error,
    );
    expect(isCode(failure, 'unavailable') && failure.message).toContain('ended with exit code 3');
    expect(isCode(failure, 'unavailable') && failure.remedy).toBe('do this');
    const output = isCode(failure, 'unavailable') ? failure.details['output'] : null;
    expect(Array.isArray(output) && output.length).toBe(15);
  });

  it('that is not there is an error of the same kind, with its cause', async () => {
    const failure = await run(['/nowhere/program'], options).catch((error: unknown) => error);
    expect(isCode(failure, 'unavailable') && failure.cause).toMatchObject({ code: 'ENOENT' });
  });

  it('tells its lines as they come, cut to a bound', async () => {
    const lines: string[] = [];
    await run(['sh', '-c', 'head -c 5000 /dev/zero | tr "\\0" x; echo; echo end'], {
      ...options,
      onLine: (line) => lines.push(line),
    });
    expect(lines.map((line) => line.length)).toEqual([300, 3]);
  });

  it('is interrupted by the signal, which is awaited', async () => {
    const abort = new AbortController();
    const began = Date.now();
    const going = run(['sleep', '30'], { ...options, signal: abort.signal });
    abort.abort();
    const failure = await going.catch((error: unknown) => error);
    expect(isCode(failure, 'canceled')).toBe(true);
    expect(Date.now() - began).toBeLessThan(10_000);
  });
});
