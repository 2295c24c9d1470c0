/** Types of the keys `terminal.docker_*`, with what each means. */
import { z } from 'zod';
import { checkedText, flagKey, key } from '../../src/lib/config-key.ts';
import { forwardProblem, setProblem } from '../../src/values/env.ts';
import { imageProblem } from '../../src/values/image.ts';

const hostProblem = (text: string): string | null =>
  /^(?:unix:\/\/\/[\x21-\x7e]+|tcp:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?)$/i.test(text)
    ? null
    : 'write unix:///PATH, or tcp://HOST:PORT for an engine with TLS';

export const schema = {
  host: key(
    checkedText(hostProblem).nullable(),
    'unix:///PATH or tcp://HOST:PORT, or null',
    'Address of the engine where DOCKER_HOST is not set. null: the usual sockets.',
  ),
  image: key(checkedText(imageProblem), 'an image reference such as debian:12', 'Image of Docker sandboxes.'),
  forward_env: key(
    z.array(checkedText(forwardProblem)).max(256),
    'a list of names of environment variables',
    'Names of host variables whose values commands see. Nothing else of the host environment is passed on.',
  ),
  env: key(
    z.record(checkedText(setProblem), z.string().max(65_536)),
    'names of environment variables with their values, as texts',
    'Variables that commands see, with these values.',
  ),
  mount_cwd_to_workspace: flagKey('Bind the directory Caisson was started in to /workspace, writable.'),
  network: flagKey('true: outbound network. false: none but loopback.'),
  run_as_host_user: flagKey(
    'Run commands as the user who runs Caisson, without capabilities, instead of as root inside.',
  ),
  shm_size: key(
    z.union([z.number().int().positive(), z.string().regex(/^[1-9]\d{0,11}[bkmg]?$/i)]).nullable(),
    'bytes, or a number with b, k, m or g such as 64m, or null',
    "Size of /dev/shm. null: the engine's default.",
  ),
  runtime: key(
    z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/)
      .nullable(),
    'the name of a runtime that the engine knows, such as runsc, or null',
    "OCI runtime. null: the engine's default.",
  ),
  seccomp: key(
    z.enum(['builtin', 'engine']),
    'builtin or engine',
    "Filter of system calls: Caisson's own profile, or the engine's default.",
  ),
} as const;
