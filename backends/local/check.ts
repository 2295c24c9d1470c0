import { closeSync, existsSync } from 'node:fs';
import { arch, hostname, platform, release } from 'node:os';
import type { Check, Finding } from '../../src/backend.ts';
import { toCaissonError } from '../../src/errors.ts';
import { ownAccount } from '../../src/lib/own-account.ts';
import { makePipes } from '../shared/pipes.ts';
import { isOurs } from '../shared/registry.ts';

/** `root` holds the registrations. */
export async function checkHost(root: string): Promise<Check> {
  const ill = platformProblem() ?? (await problem(tryPipes)) ?? (await problem(() => isOurs(root)));
  const { name, uid } = ownAccount();
  return {
    status: ill === null ? 'ready' : 'unhealthy',
    summary: ill?.summary ?? `commands run on ${hostname()} as ${name}, without isolation and without limits`,
    remedy: ill?.remedy ?? null,
    facts: { platform: platform(), kernel: release(), architecture: arch(), user: name, uid },
    findings: uid === 0 ? [asRoot] : [],
  };
}

interface Problem {
  readonly summary: string;
  readonly remedy: string | null;
}

const asRoot: Finding = {
  severity: 'warning',
  id: 'runs-as-root',
  message: 'local commands run as root on this host',
  remedy: 'run Caisson under an account of its own, or use a backend with containers',
};

/** The mark of a process is read from /proc. */
function platformProblem(): Problem | null {
  if (platform() === 'linux' && existsSync('/proc/self/environ')) return null;
  return {
    summary: 'the local backend needs Linux with /proc',
    remedy: 'use the docker or ssh backend on this machine',
  };
}

async function tryPipes(): Promise<void> {
  for (const fd of await makePipes()) closeSync(fd);
}

async function problem(attempt: () => Promise<unknown>): Promise<Problem | null> {
  try {
    await attempt();
    return null;
  } catch (error) {
    const { message, remedy } = toCaissonError(error);
    return { summary: message, remedy };
  }
}
