/**
 * `npm start`: shows on this machine what Caisson does. A thin script over the command line: every command is printed
 * before it runs, and its answer is checked. Exit code 0 only when all of it worked.
 *
 * It works in a state directory of its own and removes it, its sandbox, and the engine when it had to start one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Caisson } from './start/command.ts';
import { findEngine } from './start/engine.ts';
import { chooseImage } from './start/image.ts';
import { say } from './start/say.ts';

const home = await mkdtemp(join(tmpdir(), 'caisson-demo-'));
const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort());

try {
  await main();
} catch (error) {
  process.exitCode = abort.signal.aborted ? 130 : 1;
  say.failure(error instanceof Error ? error.message : String(error));
} finally {
  await rm(home, { recursive: true, force: true });
}

async function main(): Promise<void> {
  say.title('Caisson: a place for commands that are not trusted');
  const env: NodeJS.ProcessEnv = { ...process.env, CAISSON_HOME: home };
  const engine = await findEngine(new Caisson({ env, signal: abort.signal }));
  try {
    const caisson = new Caisson({ env: { ...env, ...engine.env }, signal: abort.signal });
    await demonstrate(caisson, await chooseImage(caisson));
  } finally {
    await engine.stop();
  }
  goOn(engine.env['DOCKER_HOST'] !== undefined);
}

async function demonstrate(caisson: Caisson, image: readonly string[]): Promise<void> {
  try {
    say.title('A hardened sandbox for the task "demo"');
    await caisson.run(['create', '--task', 'demo', '--backend', 'docker', ...image]);
    say.title('Commands in it: root there, with three capabilities and no way to more');
    await caisson.run(['exec', 'demo', '--', 'id'], { says: /uid=0/ });
    const status = ['grep', '-E', '^(CapBnd|NoNewPrivs|Seccomp):', '/proc/self/status'];
    await caisson.run(['exec', 'demo', '--', ...status], { says: /CapBnd:\s0{15}b\nNoNewPrivs:\s1\nSeccomp:\s2/ });
    await caisson.run(['exec', 'demo', '--', 'grep', '-E', ' /(tmp|var/tmp|run) ', '/proc/mounts'], {
      says: / \/tmp tmpfs .*nosuid/,
    });
    say.title('Files stay from one command to the next');
    await caisson.run(['exec', 'demo', '--', 'sh', '-c', 'echo kept > /workspace/note']);
    await caisson.run(['exec', 'demo', '--', 'cat', '/workspace/note'], { says: /^kept$/m });
    say.title('A command that takes too long is ended with all it started, and says so');
    await caisson.run(['exec', 'demo', '--timeout', '1s', '--', 'sh', '-c', 'setsid sleep 311 & sleep 311'], {
      exitCode: 124,
    });
    await caisson.run(['exec', 'demo', '--', 'sh', '-c', "ps -A -o args | grep 'sleep 31[1]' || echo none left"], {
      says: /^none left$/m,
    });
    say.title('What was wanted, beside what holds inside');
    await caisson.run(['inspect', 'demo'], { says: /CONTROL\s+WANTED\s+EFFECTIVE/ });
  } finally {
    say.title('Removed again');
    // Also after Ctrl-C, and when it was never made: what is not there needs no removal.
    await caisson.cleanUp(['rm', 'demo']);
  }
}

function goOn(ownEngine: boolean): void {
  say.title('All of it worked. To go on:');
  if (ownEngine) say.line('  (First start a Docker engine of your own: the one of this demonstration has ended.)');
  say.line(
    '  bin/caisson image build base                                       an image with git, curl, Python and apt',
  );
  say.line('  bin/caisson run --task mine --image caisson/base:latest -- bash -c "python3 --version; id"');
  say.line('  bin/caisson sh mine                                                a shell in the same sandbox');
  say.line('  bin/caisson rm mine                                                until then it stays');
  say.line('  bin/caisson --help                                                 everything else');
}
