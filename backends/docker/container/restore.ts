/**
 * Ways to set rules in the network namespace of a container: a process of this host that enters it, for root; or a container that shares
 * it for a moment, with the capability NET_ADMIN and nothing else, for users whom the engine lets in.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import type { DoorImage, Labels } from '../../../src/backend.ts';
import { CaissonError, toCaissonError } from '../../../src/errors.ts';
import type { Engine } from '../engine/engine.ts';
import { number, object, text } from '../engine/json.ts';
import { removeContainer, type Inspected } from './container.ts';
import { ensureImage } from './door.ts';
import { InitProcess } from './init-process.ts';
import { roleLabel, toEngineLabels } from './labels.ts';

export type Target = Pick<Inspected, 'id' | 'pid' | 'labels'>;

/** In the namespace of the container, or in a new one as a trial. Answers why not; `null`: done. */
export type Restore = (rules: string, container: Target | null) => Promise<string | null>;

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const timeoutMs = 10_000;
const maxSaid = 300;
const mebibyte = 1024 * 1024;

/** The namespace is held open: the number of a process may be another one's a moment later. */
export const restoreEntering: Restore = async (rules, container) => {
  if (container === null) return await restore(['unshare', '--net', '--'], rules);
  const { id, pid } = container;
  let namespace: number;
  try {
    namespace = openSync(`/proc/${pid ?? 0}/ns/net`, 'r');
  } catch {
    return 'its first process is not to be seen';
  }
  try {
    // The engine counts processes in its own namespace: the control group of that process must name the container.
    const isIts = readFileSync(`/proc/${pid ?? 0}/cgroup`, 'utf8').includes(id);
    const isOwn = readlinkSync(`/proc/self/fd/${namespace}`) === readlinkSync('/proc/self/ns/net');
    if (!isIts || isOwn) return 'its network namespace is not to be seen';
    return await restore(['nsenter', '--net=/proc/self/fd/3', '--'], rules, namespace);
  } catch (error) {
    return toCaissonError(error).message;
  } finally {
    closeSync(namespace);
  }
};

async function restore(enter: readonly string[], rules: string, namespace?: number): Promise<string | null> {
  const [program = '', ...args] = enter;
  const child = spawn(program, [...args, 'iptables-restore'], {
    cwd: '/',
    env: { PATH: `${process.env['PATH'] ?? ''}:${systemPath}` },
    stdio: ['pipe', 'ignore', 'pipe', ...(namespace === undefined ? [] : [namespace])],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const { promise, resolve } = Promise.withResolvers<string | null>();
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString('latin1')}`.slice(0, maxSaid)));
  child.once('error', (error) => resolve(error.message));
  child.once('close', (code, signal) => resolve(code === 0 ? null : problemOf(said, code ?? signal)));
  child.stdin?.on('error', () => undefined).end(rules);
  return await promise;
}

const problemOf = (said: string, end: number | string | null): string =>
  said.trim().split('\n')[0] || `iptables-restore ended with ${end ?? 'no code'}`;

export function restoreBeside(engine: Engine, imageOf: () => Promise<DoorImage>): Restore {
  return async (rules, container) => {
    try {
      const image = await imageOf();
      if (image.rules === null) return 'this host has no iptables';
      await ensureImage(engine, image);
      return await restoreIn(engine, bodyOf(image, image.rules, container), rules);
    } catch (error) {
      return toCaissonError(error).message;
    }
  };
}

async function restoreIn(engine: Engine, body: ReturnType<typeof bodyOf>, rules: string): Promise<string | null> {
  const what = 'set the rules of the sandbox';
  const made = object(await engine.ask({ what, method: 'POST', path: '/containers/create', body }));
  const id = text(made['Id']);
  if (id === null) throw new CaissonError('internal', 'the engine gave no id for what sets the rules');
  try {
    const attached = await InitProcess.attach(engine, id);
    try {
      let said = '';
      for (const stream of [attached.stdout, attached.stderr])
        stream.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString('latin1')}`.slice(0, maxSaid)));
      await engine.ask({ what, method: 'POST', path: `/containers/${id}/start` });
      attached.stdin?.end(rules);
      const signal = AbortSignal.timeout(timeoutMs);
      const end = object(await engine.ask({ what, method: 'POST', path: `/containers/${id}/wait`, signal }));
      return number(end['StatusCode']) === 0 ? null : problemOf(said, number(end['StatusCode']));
    } finally {
      attached.release();
    }
  } finally {
    await removeContainer(engine, id);
  }
}

function bodyOf(
  { reference }: DoorImage,
  { command, env }: NonNullable<DoorImage['rules']>,
  container: { readonly id: string; readonly labels: Labels | null } | null,
) {
  const labels = container?.labels ?? null;
  return {
    Image: reference,
    Entrypoint: [],
    Cmd: command,
    Env: env,
    User: '0:0',
    WorkingDir: '/',
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    StdinOnce: true,
    Tty: false,
    Healthcheck: { Test: ['NONE'] },
    Labels: { ...(labels === null ? {} : toEngineLabels(labels)), [roleLabel]: 'rules' },
    HostConfig: {
      NetworkMode: container === null ? 'none' : `container:${container.id}`,
      Privileged: false,
      CapDrop: ['ALL'],
      CapAdd: ['NET_ADMIN', 'NET_RAW'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      Memory: 64 * mebibyte,
      MemorySwap: 64 * mebibyte,
      PidsLimit: 16,
      Init: false,
      IpcMode: 'private',
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}
