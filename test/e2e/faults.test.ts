/**
 * Connections that break in the middle of output: no short output claims to be complete, nothing runs twice, no process is
 * left. `CAISSON_LOAD_FAULTS` and `CAISSON_LOAD_SSH_FAULTS` set how many.
 */
import { randomInt } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { report } from '../counts.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { dockerHost } from '../engines/docker.ts';
import { hasSshd, startSshd } from '../engines/sshd.ts';
import { faultKinds, faultyProxy, type FaultyProxy } from '../fixtures/faulty-proxy.ts';
import { makeHome } from './home.ts';

const faults = Number(process.env['CAISSON_LOAD_FAULTS'] ?? 24);
/** A connection that stalls takes all commands of its host with it, and each waits for its deadline. */
const sshFaults = Number(process.env['CAISSON_LOAD_SSH_FAULTS'] ?? 8);
const lines = 3000;
const wanted = Array.from({ length: lines }, (_, index) => `line ${index} of an output that is broken off\n`).join('');

/** `runs`: a file inside that counts how often the command began. */
async function breakOff(
  caisson: Caisson,
  proxy: FaultyProxy,
  { runs, times }: { readonly runs: string; readonly times: number },
): Promise<void> {
  const text = `echo run >>${runs}; i=0; while [ $i -lt ${lines} ]; do echo "line $i of an output that is broken off"; i=$((i+1)); done; exit 7`;
  const counts = { complete: 0, cut: 0, lost: 0 };
  for (let index = 0; index < times; index += 1) {
    const kind = faultKinds[index % faultKinds.length] ?? 'close';
    const running = await caisson.exec({
      taskId: 'faults',
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
  for (const kind of faultKinds) expect(proxy.struck[kind]).toBeGreaterThanOrEqual(Math.floor(times / 8));
  const count = `wc -l <${runs}; grep -lx "CAISSON_EXEC=exec_faults" /proc/[0-9]*/environ 2>/dev/null | wc -l`;
  const after = await caisson.run({ taskId: 'faults', command: ['sh', '-c', count] });
  expect(after.stdout.text.trim().split(/\s+/).map(Number)).toEqual([times, 0]);
  await caisson.sandboxes.remove('faults');
}

it('output from docker that is broken off says so, and its command runs once', { timeout: 14_400_000 }, async () => {
  const host = dockerHost();
  if (host === null) throw new Error('this test needs an engine');
  await using home = await makeHome(host);
  const listen = join(home.path, 'proxy.sock');
  await using proxy = await faultyProxy({
    listen,
    upstream: { path: host.replace('unix://', '') },
    matches: (head) => /^POST \/(?:v[\d.]+\/)?exec\/[0-9a-f]+\/start /.test(head),
  });
  const caisson = await home.open({}, { DOCKER_HOST: `unix://${listen}` });
  await caisson.sandboxes.create({ taskId: 'faults' });
  await breakOff(caisson, proxy, { runs: '/tmp/runs', times: faults });
});

it.skipIf(!hasSshd())(
  'output over ssh that is broken off says so, and its command runs once',
  { timeout: 14_400_000 },
  async () => {
    await using home = await makeHome();
    const sshd = await startSshd();
    const port = await freePort();
    const known = join(sshd.home, '.ssh', 'known_hosts');
    appendFileSync(known, readFileSync(known, 'utf8').replaceAll(`:${sshd.settings.port}`, `:${port}`));
    try {
      await using proxy = await faultyProxy({
        listen: { port, host: '127.0.0.1' },
        upstream: { port: sshd.settings.port, host: sshd.settings.host },
        matches: () => true,
      });
      const flags = { ...sshd.settings, port };
      const settings = Object.entries(flags).map(([key, value]) => [`terminal.ssh_${key}`, value] as const);
      const more = { 'terminal.backend': 'ssh', 'approvals.mode': 'off' };
      const caisson = await home.open({ ...Object.fromEntries(settings), ...more }, { HOME: sshd.home });
      await caisson.sandboxes.create({ taskId: 'faults' });
      await breakOff(caisson, proxy, { runs: join(sshd.home, 'runs'), times: sshFaults });
      await caisson.close();
    } finally {
      await sshd.stop();
    }
  },
);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
