/** An sshd of its own on this machine, Caisson on it, and the OpenSSH client with a connection that it shares. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CaissonError } from '../src/errors.ts';
import type { BenchPlace } from './place.ts';
import { startSshd, whyNoSshd } from '../test/engines/sshd.ts';

const execute = promisify(execFile);

export interface SshPlace {
  readonly caisson: BenchPlace['caisson'];
  readonly task: string;
  /** For files that are copied there: in memory, so that no disk is measured. */
  readonly directory: string;
  /** Runs `ssh`, `sftp` or `scp` over the connection that is open already, to its end. */
  readonly client: (program: 'ssh' | 'sftp' | 'scp', args: readonly string[]) => Promise<unknown>;
}

export async function withSshPlace<T>(work: (place: SshPlace) => Promise<T>): Promise<T> {
  const why = whyNoSshd();
  if (why !== null) throw new CaissonError('failed_precondition', why);
  const { openCaisson } = await import('../src/main.ts');
  const sshd = await startSshd(['Subsystem sftp internal-sftp']);
  const home = await mkdtemp(join(tmpdir(), 'caisson-bench-'));
  const directory = await mkdtemp('/dev/shm/caisson-bench-');
  const { host, port, key } = sshd.settings;
  const flags = {
    'terminal.backend': 'ssh',
    'terminal.ssh_host': host,
    'terminal.ssh_port': port,
    'terminal.ssh_key': key,
  };
  const caisson = await openCaisson({ home, env: { ...process.env, HOME: sshd.home }, cwd: home, flags });
  const socket = join(home, 'master');
  const options = [
    ...['-F', 'none', '-i', key, '-o', `Port=${port}`, '-o', `ControlPath=${socket}`, '-o', 'BatchMode=yes'],
    ...['-o', `UserKnownHostsFile=${sshd.home}/.ssh/known_hosts`],
  ];
  const client: SshPlace['client'] = (program, args) => execute(program, [...options, ...args]);
  try {
    await client('ssh', ['-o', 'ControlMaster=yes', '-o', 'ControlPersist=600', '-N', '-f', host]);
    const task = 'bench';
    await caisson.sandboxes.create({ taskId: task });
    return await work({ caisson, task, directory, client });
  } finally {
    await client('ssh', ['-O', 'exit', host]).catch(() => undefined); // it may not have come so far
    await caisson.sandboxes.remove('bench').catch(() => undefined);
    await caisson.close();
    await sshd.stop();
    for (const path of [home, directory]) await rm(path, { recursive: true, force: true });
  }
}
