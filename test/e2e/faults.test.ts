/**
 * Connections that break in the middle of output: no short output claims to be complete, nothing runs twice, no process is
 * left. `CAISSON_LOAD_FAULTS` and `CAISSON_LOAD_SSH_FAULTS` set how many.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { dockerHost } from '../engines/docker.ts';
import { hasSshd, startSshd } from '../engines/sshd.ts';
import { faultyProxy } from '../fixtures/faulty-proxy.ts';
import { breakOff, freePort } from './break-off.ts';
import { makeHome } from './home.ts';

const faults = Number(process.env['CAISSON_LOAD_FAULTS'] ?? 16);
/** A connection that stalls takes all commands of its host with it, and each waits for its deadline. */
const sshFaults = Number(process.env['CAISSON_LOAD_SSH_FAULTS'] ?? 8);

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
