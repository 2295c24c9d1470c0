/** Where commands run, and within which bounds. Keys of one backend start with its name. */
import { z } from 'zod';
import { credentialDirectoryProblem, credentialPathProblem } from '../../values/credential-path.ts';
import { forwardProblem } from '../../values/env.ts';
import { imageProblem, placedImageProblem } from '../../values/image.ts';
import { insideProblem } from '../../values/paths.ts';
import { checkedText, flagKey, key } from './key.ts';

/** A delay of Node's timers has 31 bits of milliseconds. */
const timerSeconds = 2_147_483;
const tenYearsSeconds = 315_360_000;
const pebibyteInMb = 2 ** 30;

/** Never the beginning of an option, and nothing that a shell or a log could take for something else. */
const hostName = /^[A-Za-z0-9_:][A-Za-z0-9_.:%-]{0,254}$/;
const userName = /^[A-Za-z0-9_][A-Za-z0-9_.@\\-]{0,127}$/;

const hostKeys = {
  ssh_host: key(
    z.string().regex(hostName).nullable(),
    'a host name, an address or a Host of ~/.ssh/config, or null',
    'Host of the ssh backend. null: there is none.',
  ),
  ssh_user: key(
    z.string().regex(userName).nullable(),
    'a user name, or null',
    'Account on that host. null: as ~/.ssh/config has it, else the name of the user who runs Caisson.',
  ),
  ssh_port: key(
    z.number().int().min(1).max(65_535).nullable(),
    'a port from 1 to 65535, or null',
    'Port of sshd. null: as ~/.ssh/config has it, else 22.',
  ),
  ssh_key: key(
    z.string().min(1).max(4096).nullable(),
    'a path to a private key, or null',
    'Private key to log in with; ~ is the home directory. null: as ~/.ssh/config has it, else the agent and the usual files in ~/.ssh.',
  ),
};

/** One host of the pool. What it leaves out is as the ssh_* keys above have it. */
const pooledHost = z.strictObject({
  host: hostKeys.ssh_host.optional(),
  user: hostKeys.ssh_user.optional(),
  port: hostKeys.ssh_port.optional(),
  key: hostKeys.ssh_key.optional(),
  capacity: key(
    z.number().int().min(0).max(100_000).nullable().optional(),
    'a number of sandboxes from 0 on, or null',
    'How many sandboxes of this installation the host takes. null: any number.',
  ),
  drain: flagKey('Take no new tasks; what is there goes on.').optional(),
});

const poolKey = {
  ssh_hosts: key(
    z.record(z.string().regex(hostName), pooledHost),
    'host, user, port, key, capacity and drain of each host by its name',
    'Pool of hosts of the ssh backend by name, instead of ssh_host. A task stays on the host where it began.',
  ),
};

/** Apptainer separates paths by colons and commas. */
const plainDirectory = /^(~\/|\/)[^:,"\\\n]{0,4094}$/;

const singularityKeys = {
  singularity_image: key(
    checkedText(placedImageProblem),
    'docker://REFERENCE, docker-archive:/PATH, or the path of a SIF file or of a directory made by Apptainer',
    'Image of Apptainer (Singularity) sandboxes.',
  ),
  singularity_network: flagKey("true: the host's own network, in both directions. false: none but loopback."),
  singularity_seccomp: key(
    z.enum(['builtin', 'engine']),
    'builtin or engine',
    "Filter of system calls: Caisson's own profile, or none, as Apptainer has it.",
  ),
  singularity_user: key(
    z.string().regex(userName).nullable(),
    'a user name, or null',
    'Account that runs the containers when Caisson itself runs as root. null: nobody.',
  ),
  singularity_scratch_dir: key(
    z.string().regex(plainDirectory).nullable(),
    'an absolute path without : , " and \\, or null',
    'Directory on a disk of this host for what lives as long as a sandbox. null: SLURM_TMPDIR, TMPDIR or /tmp.',
  ),
  singularity_cache_dir: key(
    z.string().regex(plainDirectory).nullable(),
    'an absolute path without : , " and \\, or null',
    'Directory for unpacked images. null: ~/.cache/caisson/singularity, for root /var/cache/caisson/singularity.',
  ),
};

export const terminalSection = z.strictObject({
  backend: key(
    z.string().regex(/^[a-z][a-z0-9-]{0,31}$/),
    'the name of a backend',
    'Kind of place in which sandboxes are made.',
  ),
  cwd: key(
    checkedText(insideProblem).nullable(),
    'an absolute path inside the sandbox, or null',
    "Directory in which commands start. null: /workspace in containers, the task's own directory on ssh, / elsewhere.",
  ),
  timeout: key(
    z.number().positive().max(timerSeconds).nullable(),
    'seconds above 0, or null',
    'Seconds after which a command is killed. null: never.',
  ),
  lifetime_seconds: key(
    z.number().nonnegative().max(tenYearsSeconds).nullable(),
    'seconds from 0 on, or null',
    'Seconds without use after which a sandbox is stopped (removed, when ephemeral). 0 or null: never.',
  ),
  max_lifetime_seconds: key(
    z.number().nonnegative().max(tenYearsSeconds).nullable(),
    'seconds from 0 on, or null',
    'Seconds after its creation at which a sandbox is removed in any case. 0 or null: never.',
  ),
  allow_degraded: flagKey(
    'Start although a control that was asked for cannot be given here; what is missing is listed.',
  ),
  container_cpu: key(
    z.number().min(0.01).max(1024).nullable(),
    'a number of cores from 0.01 on, or null',
    'CPU cores, may be a fraction. null: no limit.',
  ),
  container_memory: key(
    z.number().int().min(6).max(pebibyteInMb).nullable(),
    'whole megabytes from 6 on, or null',
    'Megabytes (2^20) of memory and swap together. null: no limit.',
  ),
  container_disk: key(
    z.number().int().min(1).max(pebibyteInMb).nullable(),
    'whole megabytes from 1 on, or null',
    'Megabytes (2^20) that the sandbox may write. null: no limit.',
  ),
  container_pids: key(
    z
      .number()
      .int()
      .min(1)
      .max(2 ** 22)
      .nullable(),
    'a whole number from 1 on, or null',
    'Processes and threads. null: no limit.',
  ),
  container_persistent: flagKey('Keep /workspace and the home directory when the sandbox ends.'),
  container_read_only: flagKey('Make everything but mounts and temporary directories read-only.'),
  docker_image: key(checkedText(imageProblem), 'an image reference such as debian:12', 'Image of Docker sandboxes.'),
  docker_forward_env: key(
    z.array(checkedText(forwardProblem)).max(256),
    'a list of names of environment variables',
    'Names of host variables whose values commands see. Nothing else of the host environment is passed on.',
  ),
  env_passthrough: key(
    z.array(checkedText(forwardProblem)).max(256),
    'a list of names of environment variables',
    'Names of host variables whose values commands see on every backend, also programs of code runs.',
  ),
  skills: key(
    z.array(z.string().min(1).max(4096)).max(64),
    'a list of names or paths of skills',
    'Skills whose required variables and credential files commands get.',
  ),
  skill_directories: key(
    z.array(z.string().min(1).max(4096)).max(16),
    'a list of directories',
    'Where skills are looked for by their names.',
  ),
  local_environment: key(
    z.enum(['minimal', 'host']),
    'minimal or host',
    'What commands of the local backend inherit: who and where, or all but infrastructure and secrets.',
  ),
  credential_files: key(
    z.array(checkedText(credentialPathProblem)).max(64),
    'a list of paths relative to the state directory',
    'Files of the state directory, such as OAuth tokens, that commands may read.',
  ),
  credential_directory: key(
    checkedText(credentialDirectoryProblem),
    'an absolute path inside the sandbox',
    'Where credential files are inside, read-only in containers.',
  ),
  docker_mount_cwd_to_workspace: flagKey('Bind the directory Caisson was started in to /workspace, writable.'),
  docker_network: flagKey('true: outbound network. false: none but loopback.'),
  docker_run_as_host_user: flagKey(
    'Run commands as the user who runs Caisson, without capabilities, instead of as root inside.',
  ),
  docker_shm_size: key(
    z.union([z.number().int().positive(), z.string().regex(/^[1-9]\d{0,11}[bkmg]?$/i)]).nullable(),
    'bytes, or a number with b, k, m or g such as 64m, or null',
    "Size of /dev/shm. null: the engine's default.",
  ),
  docker_runtime: key(
    z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/)
      .nullable(),
    'the name of a runtime that the engine knows, such as runsc, or null',
    "OCI runtime. null: the engine's default.",
  ),
  docker_seccomp: key(
    z.enum(['builtin', 'engine']),
    'builtin or engine',
    "Filter of system calls: Caisson's own profile, or the engine's default.",
  ),
  modal_image: key(checkedText(imageProblem), 'an image reference such as debian:12', 'Image of Modal sandboxes.'),
  ...hostKeys,
  ...poolKey,
  ...singularityKeys,
});

/** Where a backend finds its place. */
export const placeKeys = {
  local_environment: true,
  skill_directories: true,
  ssh_host: true,
  ssh_user: true,
  ssh_port: true,
  ssh_key: true,
  ssh_hosts: true,
  singularity_user: true,
  singularity_scratch_dir: true,
  singularity_cache_dir: true,
} as const;
