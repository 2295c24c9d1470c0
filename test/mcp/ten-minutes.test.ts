/** Ten minutes of a real clock, by CAISSON_TEST_TEN_MINUTES=1: a command that runs so long, on a host that waits for one. */
import { afterAll, expect, it } from 'vitest';
import { connect, type Kind, kinds } from './hosts.ts';
import { stdioHome } from './stdio-home.ts';

const home = stdioHome();
afterAll(async () => await home[Symbol.asyncDispose]());

const isWanted = process.env['CAISSON_TEST_TEN_MINUTES'] === '1';
const timeout = 60_000;

async function readToEnd(kind: Kind): Promise<string> {
  await using host = await connect(kind, home.place);
  const command = 'i=0; while [ $i -lt 600 ]; do echo "second $i"; sleep 1; i=$((i+1)); done';
  const args = { task: kind.replaceAll(' ', '-'), command, timeout_ms: 900_000 };
  const begun = await host.call('run_command', args, { timeout });
  expect(begun.data.reason).toBe('running');
  let { stdout: text, next } = begun.data;
  while (next !== null) {
    const read = { exec_id: begun.data.exec_id, after: next, wait_ms: 45_000 };
    const { data } = await host.call('read_output', read, { timeout });
    text += data.stdout;
    ({ next } = data);
  }
  return text;
}

it('a command of ten minutes is read to its end, without loss', { timeout: 800_000 }, async ({ skip }) => {
  if (!isWanted) skip('ten minutes of a real clock: set CAISSON_TEST_TEN_MINUTES=1');
  const texts = await Promise.all(kinds.map(readToEnd));
  for (const text of texts) expect(text).toBe(Array.from({ length: 600 }, (_, index) => `second ${index}\n`).join(''));
});
