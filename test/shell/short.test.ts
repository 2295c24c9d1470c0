import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('without a free descriptor grammar and files are unavailable with a remedy, and read as soon as there is one', () => {
  const script = new URL('short.process.ts', import.meta.url).pathname;
  const said = execFileSync('sh', ['-c', 'ulimit -n 96; exec "$0" "$1"', process.execPath, script], {
    encoding: 'utf8',
  });
  const short = expect.stringMatching(/^unavailable, raise the limit of open files/);
  expect(JSON.parse(said)).toEqual({ short: [short, short], lost: false, after: 'done' });
});
