/** Lanes of a Caisson that was killed, seen from the kernel of this host: they end, and none that it still uses does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compiled } from '../compiled.ts';
import { eventually } from '../conformance/command.ts';
import { dockerHost } from '../engines/docker.ts';
import { hasSshd, startSshd } from '../engines/sshd.ts';
import { makeHome } from './home.ts';

const worker = fileURLToPath(new URL('left-lanes.process.ts', import.meta.url));

/** Shells that run a lane, among the processes of this host. */
function lanes(among: (pid: string) => boolean): readonly string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isLane(pid) && among(pid));
}

function isLane(pid: string): boolean {
  try {
    return /^(?:[^\0]*\/)?sh\0-s\0caisson-lane\0/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
  } catch {
    return false;
  }
}

async function started(env: Readonly<Record<string, string | undefined>>, home: string, backend: string) {
  const child = spawn(process.execPath, [worker, home, backend], {
    env: { ...compiled, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

/** `stay`: the lane of the first process of a container, whose input its engine keeps open. */
async function expectEnd(child: ChildProcess, mine: () => readonly string[], stay = 0): Promise<void> {
  expect(mine().length).toBeGreaterThan(stay);
  const before = mine();
  child.kill('SIGSTOP');
  await sleep(5_000);
  child.kill('SIGCONT');
  await sleep(16_000);
  expect(mine().filter((pid) => before.includes(pid)).length).toBeGreaterThan(0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await eventually(() => mine().length <= stay, 30_000)).toBe(true);
}

describe('lanes of a Caisson that was killed', () => {
  it.skipIf(dockerHost() === null)('end within 30 s in a container', { timeout: 90_000 }, async () => {
    await using home = await makeHome();
    const child = await started(home.env, home.path, 'docker');
    const [container = ''] = await home.containers();
    await expectEnd(child, () => lanes((pid) => readFileSync(`/proc/${pid}/cgroup`, 'latin1').includes(container)), 1);
  });

  it.skipIf(!hasSshd())('end within 30 s on a host behind ssh', { timeout: 90_000 }, async () => {
    const sshd = await startSshd();
    await using home = await makeHome(dockerHost() ?? 'unix:///nowhere/docker.sock');
    const { host, port, key } = sshd.settings;
    const env = {
      ...sshd.env,
      CAISSON_HOME: home.path,
      CAISSON_TERMINAL_SSH_HOST: host,
      CAISSON_TERMINAL_SSH_PORT: String(port),
      CAISSON_TERMINAL_SSH_KEY: key,
    };
    const child = await started(env, home.path, 'ssh');
    await expectEnd(child, () => lanes((pid) => readFileSync(`/proc/${pid}/environ`, 'latin1').includes(sshd.home)));
    await sshd.stop();
  });
});
