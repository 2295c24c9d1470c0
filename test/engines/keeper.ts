/**
 * Keeps one private Docker engine and ends it when its owner ends. The owner holds our standard input open; the kernel
 * closes it whatever becomes of the owner, so neither Ctrl-C nor a kill of the test run leaves an engine behind.
 *
 * Runs under `flock`: it holds the lock of its slot as long as it lives, so what an earlier keeper of the slot left
 * (it was killed itself) has no owner and is cleaned before the start.
 *
 *   flock --nonblock --no-fork SLOT/lock node keeper.ts SLOT plain|btrfs|respawning GROUP
 *
 * Prints one JSON line when the engine answers: `{"host":"unix://..."}`, or `{"error":"..."}`.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDisk } from './disk.ts';
import { isAnswering, removeContainers } from './engine-api.ts';
import { startDaemon } from './namespace.ts';
import { systemPath } from './privileges.ts';
import { endProcessesOf } from './processes.ts';

const startWithinMs = 60_000;
const stopWithinMs = 20_000;

async function keep(slot: string, kind: string, group: string): Promise<void> {
  await cleanAfterKilledKeeper(slot);
  // Short, since the path of a socket may have 107 bytes only.
  const runtime = mkdtempSync(join(tmpdir(), 'cse-'));
  writeFileSync(join(slot, 'runtime'), runtime);
  const ended = ownerEnded();
  try {
    const daemon = await start({ slot, runtime, kind, group });
    process.stdout.write(`${JSON.stringify({ host: `unix://${runtime}/docker.sock` })}\n`);
    await Promise.race([ended, once(daemon, 'exit')]);
    await stop(daemon, runtime);
  } finally {
    await endProcessesOf(runtime);
    rmSync(runtime, { recursive: true, force: true });
    rmSync(join(slot, 'runtime'), { force: true });
  }
}

async function cleanAfterKilledKeeper(slot: string): Promise<void> {
  let runtime: string;
  try {
    runtime = readFileSync(join(slot, 'runtime'), 'utf8');
  } catch {
    return; // The last keeper ended in order.
  }
  await endProcessesOf(runtime);
  rmSync(runtime, { recursive: true, force: true });
}

interface Start {
  readonly slot: string;
  readonly runtime: string;
  readonly kind: string;
  readonly group: string;
}

async function start({ slot, runtime, kind, group }: Start): Promise<ChildProcess> {
  const data = join(slot, 'data');
  mkdirSync(data, { recursive: true });
  const socket = join(runtime, 'docker.sock');
  const daemon = await startDaemon({
    arguments: [
      ...['--data-root', data, '--exec-root', join(runtime, 'exec'), '--pidfile', join(runtime, 'pid')],
      ...['--host', `unix://${socket}`, '--group', group],
      // A registry of a test, at the other end of its link to the host, speaks HTTP.
      ...['--insecure-registry', '198.18.0.0/16'],
      ...(kind === 'btrfs' ? ['--storage-driver', 'btrfs'] : []),
      ...(kind === 'respawning' ? ['--live-restore'] : []),
    ],
    respawn: kind === 'respawning',
    disk: kind === 'btrfs' ? { image: await makeDisk(slot), directory: data } : null,
    log: join(slot, 'dockerd.log'),
  });
  await answering(daemon, socket);
  await removeContainers(socket);
  return daemon;
}

async function answering(daemon: ChildProcess, socket: string): Promise<void> {
  const deadline = Date.now() + startWithinMs;
  while (!(await isAnswering(socket))) {
    if (daemon.exitCode !== null || daemon.signalCode !== null) throw new Error('dockerd ended at once');
    if (Date.now() > deadline) throw new Error(`dockerd does not answer after ${startWithinMs / 1000} s`);
    await sleep(50);
  }
}

/** Containers are removed first: the daemon itself would grant each of them ten seconds. */
async function stop(daemon: ChildProcess, runtime: string): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return;
  const left = await removeContainers(join(runtime, 'docker.sock'));
  if (left.length > 0) process.stderr.write(`test engine: containers were left behind: ${left.join(', ')}\n`);
  const exited = once(daemon, 'exit');
  daemon.kill('SIGTERM');
  await Promise.race([exited, sleep(stopWithinMs, undefined, { ref: false })]);
}

function ownerEnded(): Promise<unknown> {
  process.stdin.resume();
  return Promise.race([
    once(process.stdin, 'close'),
    ...['SIGTERM', 'SIGINT', 'SIGHUP'].map((signal) => once(process, signal)),
  ]);
}

const [slot = '', kind = '', group = ''] = process.argv.slice(2);
process.env['PATH'] = systemPath;
// The owner may be gone before it is asked: the end of its standard input says so too.
process.stdout.on('error', () => {});
try {
  await keep(slot, kind, group);
  process.exit(0);
} catch (error) {
  const said = tail(join(slot, 'dockerd.log'));
  process.stdout.write(
    `${JSON.stringify({ error: `${error instanceof Error ? error.message : String(error)}\n${said}` })}\n`,
  );
  process.exit(1);
}

function tail(path: string): string {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
  } catch {
    return ''; // It did not get as far as a log.
  }
}
