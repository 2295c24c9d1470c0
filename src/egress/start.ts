/** A link to the egress proxy of a state directory, which is started where none lives. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CaissonError } from '../errors.ts';
import { programPath } from '../lib/asset.ts';
import { programEnv } from '../lib/run-program.ts';
import { Link } from './control.ts';
import { makeEgressDirectory, outputOf } from './places.ts';

export interface EgressStartInput {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Flags of Node for the process of the proxy. What passes through it is garbage at once, and with the usual 16 MB of young objects
 * it takes half as much memory again, for no more speed.
 */
export const proxyFlags: readonly string[] = ['--max-semi-space-size=2', '--optimize-for-size'];

/** From its start until it answers; a machine may be busy. */
const startMs = 20_000;
const pauseMs = 25;

/** One that is just ending is followed by the next. Throws `unavailable` when none starts. */
export async function linkTo({ home, env }: EgressStartInput): Promise<Link> {
  const there = await Link.open(home);
  if (there !== null) return there;
  await makeEgressDirectory(home);
  const child = startProxy({ home, env });
  const deadline = performance.now() + startMs;
  for (let hasEnded = false; !hasEnded && performance.now() < deadline;) {
    // Read first: a proxy that another process started may answer after the own one has ended.
    hasEnded = isOver(child);
    const link = await Link.open(home);
    if (link !== null) return link;
    if (!hasEnded) await sleep(pauseMs);
  }
  // One process of Node in some hundreds hangs at its exit: a thread of the compiler waits for a collection that never comes.
  child.kill('SIGKILL');
  throw new CaissonError('unavailable', 'the egress proxy did not start', {
    remedy: `look at ${outputOf(home)}, or run \`caisson egress\` and see what it says`,
  });
}

const isOver = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null;

/** Starts a process that outlives this one, and gets nothing of its environment that could be a secret. */
function startProxy({ home, env }: EgressStartInput): ChildProcess {
  const output = openSync(outputOf(home), 'w', 0o600);
  try {
    const own = Object.entries(env).filter(([name]) => /^(?:CAISSON_|HERMES_|DOCKER_HOST$|CONTAINER_HOST$)/.test(name));
    const child = spawn(process.execPath, [...proxyFlags, '--', programPath, 'egress'], {
      cwd: home,
      detached: true,
      stdio: ['ignore', output, output],
      env: { ...programEnv(env), ...Object.fromEntries(own), CAISSON_HOME: home },
    });
    child.on('error', () => undefined);
    child.unref();
    return child;
  } finally {
    closeSync(output);
  }
}
