/** Breaks the connections of a place in the middle of output: no short output claims to be complete, and nothing runs twice. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { expect } from 'vitest';
import { report } from '../counts.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { type FaultKind, faultKinds, type FaultyProxy } from '../fixtures/faulty-proxy.ts';

const lines = 3000;
const wanted = Array.from({ length: lines }, (_, index) => `line ${index} of an output that is broken off\n`).join('');

export interface Breaking {
  /** Its sandbox is there. */
  readonly taskId?: string;
  /** A file inside that counts how often the command began. */
  readonly runs: string;
  readonly times: number;
  readonly kinds?: readonly FaultKind[];
}

export async function breakOff(
  caisson: Caisson,
  proxy: FaultyProxy,
  { taskId = 'faults', runs, times, kinds = faultKinds }: Breaking,
): Promise<void> {
  const text = `echo run >>${runs}; i=0; while [ $i -lt ${lines} ]; do echo "line $i of an output that is broken off"; i=$((i+1)); done; exit 7`;
  const counts = { complete: 0, cut: 0, lost: 0 };
  for (let index = 0; index < times; index += 1) {
    const kind = kinds[index % kinds.length] ?? 'close';
    const running = await caisson.exec({
      taskId,
      command: ['sh', '-c', `read -r go; ${text}`],
      stdin: true,
      timeoutMs: 10_000,
    });
    proxy.arm({ kind, after: randomInt(300, wanted.length) });
    running.stdin?.end('go\n');
    running.stderr.resume();
    const chunks: Buffer[] = [];
    running.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const exit = await running.exit;
    proxy.arm(null);
    const output = Buffer.concat(chunks).toString();
    const report = { kind, exit, bytes: output.length };
    expect(wanted.startsWith(output)).toBe(true);
    if (exit.stdout.complete === true) expect({ ...report, whole: output === wanted }).toMatchObject({ whole: true });
    else expect(exit.notes.join()).toMatch(/output is incomplete/);
    // The exit is the command's own, or it is not known: never an invented one.
    expect([7, null]).toContain(exit.exitCode);
    if (exit.exitCode === null) counts.lost += 1;
    counts[exit.stdout.complete === true ? 'complete' : 'cut'] += 1;
  }
  report({ ...counts, ...proxy.struck });
  for (const kind of kinds) expect(proxy.struck[kind]).toBeGreaterThanOrEqual(Math.floor(times / 8));
  const count = `wc -l <${runs}; grep -lx "CAISSON_EXEC=exec_faults" /proc/[0-9]*/environ 2>/dev/null | wc -l`;
  const after = await caisson.run({ taskId, command: ['sh', '-c', count] });
  expect(after.stdout.text.trim().split(/\s+/).map(Number)).toEqual([times, 0]);
  await caisson.sandboxes.remove(taskId);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
