/** The section `terminal`: the place and bounds of commands. Each backend adds keys of its own, which start with its name. */
import { z } from 'zod';
import { credentialDirectoryProblem, credentialPathProblem } from '../../values/credential-path.ts';
import { forwardProblem } from '../../values/env.ts';
import { insideProblem } from '../../values/paths.ts';
import { checkedText, flagKey, key } from '../../lib/config-key.ts';

/** A delay of Node's timers has 31 bits of milliseconds. */
const timerSeconds = 2_147_483;
const tenYearsSeconds = 315_360_000;
const pebibyteInMb = 2 ** 30;

export const terminalSection = z.strictObject({
  backend: key(
    z.string().regex(/^[a-z][a-z0-9-]{0,31}$/),
    'the name of a backend',
    'Kind of place in which sandboxes are made.',
  ),
  cwd: key(
    checkedText(insideProblem).nullable(),
    'an absolute path inside the sandbox, or null',
    "Directory in which commands start. null: /workspace in containers, the task's own directory on ssh, the caller's on local.",
  ),
  timeout: key(
    z.number().positive().max(timerSeconds).nullable(),
    'seconds above 0, a time such as 5m, or null',
    'Seconds after which a command is killed. null: never.',
  ),
  lifetime_seconds: key(
    z.number().nonnegative().max(tenYearsSeconds).nullable(),
    'seconds from 0 on, a time such as 2h, or null',
    'Seconds without use after which a sandbox is stopped (removed, when ephemeral). 0 or null: never.',
  ),
  max_lifetime_seconds: key(
    z.number().nonnegative().max(tenYearsSeconds).nullable(),
    'seconds from 0 on, a time such as 2h, or null',
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
    'whole megabytes from 6 on, a size such as 2g, or null',
    'Megabytes (2^20) of memory and swap together. null: no limit.',
  ),
  container_disk: key(
    z.number().int().min(1).max(pebibyteInMb).nullable(),
    'whole megabytes from 1 on, a size such as 10g, or null',
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
});
