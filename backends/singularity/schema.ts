/** Types of the keys `terminal.singularity_*`, with what each means. */
import { z } from 'zod';
import { checkedText, flagKey, key } from '../../src/lib/config-key.ts';
import { placedImageProblem } from '../../src/values/image.ts';

const userName = /^[A-Za-z0-9_][A-Za-z0-9_.@\\-]{0,127}$/;

/** Apptainer separates paths by colons and commas. */
const plainDirectory = /^(~\/|\/)[^:,"\\\n]{0,4094}$/;

export const schema = {
  image: key(
    checkedText(placedImageProblem),
    'docker://REFERENCE, docker-archive:/PATH, or the path of a SIF file or of a directory made by Apptainer',
    'Image of Apptainer (Singularity) sandboxes.',
  ),
  network: flagKey("true: the host's own network, in both directions. false: none but loopback."),
  seccomp: key(
    z.enum(['builtin', 'engine']),
    'builtin or engine',
    "Filter of system calls: Caisson's own profile, or none, as Apptainer has it.",
  ),
  user: key(
    z.string().regex(userName).nullable(),
    'a user name, or null',
    'Account that runs the containers when Caisson itself runs as root. null: a number of cache_dir, else of this state directory, which no other program has.',
  ),
  scratch_dir: key(
    z.string().regex(plainDirectory).nullable(),
    'an absolute path without : , " and \\, or null',
    'Directory on a disk of this host for what lives as long as a sandbox. null: SLURM_TMPDIR, TMPDIR or /tmp.',
  ),
  cache_dir: key(
    z.string().regex(plainDirectory).nullable(),
    'an absolute path without : , " and \\, or null',
    'Directory for unpacked images. null: ~/.cache/caisson/singularity, for root /var/cache/caisson/singularity.',
  ),
} as const;
