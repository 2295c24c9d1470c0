/** The peer: the engine's API by plain dockerode with its default agent, as one would write it by hand. */
import { PassThrough } from 'node:stream';
import type Docker from 'dockerode';
import type { Container, ContainerCreateOptions } from 'dockerode';

/** The flags of a container that Caisson made, for one that does nothing but sleep. */
export async function sameFlags(docker: Docker, container: string): Promise<ContainerCreateOptions> {
  const { Config, HostConfig } = await docker.getContainer(container).inspect();
  const { Image, Env, WorkingDir } = Config;
  return {
    Image,
    Env,
    WorkingDir,
    HostConfig,
    Entrypoint: [],
    Cmd: ['sleep', '86400'],
    Labels: { 'caisson.bench': 'peer' },
  };
}

export interface PeerExec {
  readonly exitCode: number | null;
  readonly bytes: number;
  /** From the beginning of the call to the first byte of stdout. */
  readonly firstByteMs: number;
}

/** exec create, start (hijacked), demultiplex, inspect. */
export async function peerExec(docker: Docker, container: Container, command: readonly string[]): Promise<PeerExec> {
  const began = performance.now();
  const exec = await container.exec({ Cmd: [...command], AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({ hijack: true, stdin: false });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let [bytes, firstByteMs] = [0, Number.NaN];
  stdout.on('data', (chunk: Uint8Array) => {
    if (bytes === 0) firstByteMs = performance.now() - began;
    bytes += chunk.length;
  });
  stderr.resume();
  docker.modem.demuxStream(stream, stdout, stderr);
  await new Promise<void>((resolve, reject) => stream.once('end', resolve).once('error', reject));
  stdout.end();
  await new Promise<void>((resolve) => stdout.once('end', resolve));
  const { ExitCode } = await exec.inspect();
  return { exitCode: ExitCode, bytes, firstByteMs };
}

export interface PeerCold {
  readonly container: Container;
  /** From nothing to the first output of a command in it. */
  readonly readyMs: number;
}

/** The caller removes the container, outside the time. */
export async function peerCold(docker: Docker, flags: ContainerCreateOptions): Promise<PeerCold> {
  const began = performance.now();
  const container = await docker.createContainer(flags);
  try {
    await container.start();
    const untilExec = performance.now() - began;
    return { container, readyMs: untilExec + (await peerExec(docker, container, ['echo', 'ready'])).firstByteMs };
  } catch (error) {
    await container.remove({ force: true });
    throw error;
  }
}
