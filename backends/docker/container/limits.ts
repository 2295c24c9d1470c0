/** What is refused before the engine hears of it. */
import type { ExecOptions, Guarantees, LimitName, Spec } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';

/** MAX_ARG_STRLEN of Linux, with the final NUL. The runtime would only fail with its own words and exit code 1. */
const maxWordBytes = 131_072;

/** Core has refused such working directories already (CVE-2024-21626 came in through one under /proc/self/fd). */
export function checkCommand(command: readonly string[], { cwd, env }: Pick<ExecOptions, 'cwd' | 'env'>): void {
  const legal =
    cwd.startsWith('/') &&
    !cwd.includes('\0') &&
    !cwd.split('/').includes('..') &&
    !/^\/+(proc|sys|dev)(\/|$)/.test(cwd);
  if (!legal)
    throw new CaissonError(
      'invalid_argument',
      'the working directory must be absolute, without .. and not under /proc, /sys or /dev',
    );
  for (const word of command) checkLength(word.length, word);
  for (const [name, value] of Object.entries(env)) checkLength(name.length + 1 + value.length, `${name}=${value}`);
}

function checkLength(characters: number, word: string): void {
  if (characters * 3 < maxWordBytes || Buffer.byteLength(word) < maxWordBytes) return;
  throw new CaissonError(
    'invalid_argument',
    `an argument or variable is longer than the ${maxWordBytes - 1} bytes that Linux takes`,
    { remedy: 'pass it through stdin or a file' },
  );
}

/** Throws `not_supported` for a spec that asks for more than is promised. */
export function checkSpec(spec: Spec, guarantees: Guarantees): void {
  const refused = [...refusedLimits(spec, guarantees), ...refusedOptions(spec, guarantees)];
  if (refused.length === 0) return;
  throw new CaissonError('not_supported', `this engine cannot give what the spec asks for: ${refused.join('; ')}`, {
    details: { refused },
  });
}

function refusedLimits({ limits }: Spec, guarantees: Guarantees): readonly string[] {
  const names: readonly LimitName[] = ['cpuCores', 'memoryBytes', 'diskBytes', 'pids'];
  return names.flatMap((name) => {
    const enforcement = guarantees.limits[name];
    return limits[name] === null || enforcement.enforced ? [] : [`${name} (${enforcement.reason})`];
  });
}

const filteredRuntimes = new Set(['runc', 'crun']);

function refusedOptions({ hardening, mounts, network }: Spec, guarantees: Guarantees): readonly string[] {
  const given = guarantees.hardening;
  const runtime = hardening.runtime ?? 'runc';
  return [
    ...(guarantees.network.includes(network) ? [] : [`network ${network}`]),
    // Those with a network stack of their own may not see what shares their namespace.
    ...(network === 'filtered' && !filteredRuntimes.has(runtime) ? [`network filtered with runtime ${runtime}`] : []),
    ...(hardening.seccomp === 'builtin' && !given.seccomp ? ['seccomp'] : []),
    ...(hardening.runtime !== null && !given.runtimes.includes(hardening.runtime)
      ? [`runtime ${hardening.runtime}`]
      : []),
    ...(hardening.user === 'host' && !given.hostUser ? ['user host'] : []),
    ...(mounts.length > 0 && guarantees.mounts === 'none' ? ['mounts'] : []),
  ];
}
