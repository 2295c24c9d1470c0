/** The limits of one sandbox, as systemd on the host keeps them. */
import type { Limits } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import type { Pool } from './pool.ts';
import { run } from './run.ts';
import { runtimeDirectory, type Scope, type Scoped } from './scope.ts';

/** Sets the limits, or the same ones again. Throws `not_supported` when systemd does not take them. */
export async function holdLimits(pool: Pool, { scope, slice }: Scoped, limits: Limits): Promise<void> {
  const { memoryBytes, pids, cpuCores } = limits;
  // Each one is said, so that none of an older spec stays.
  const properties = [
    `MemoryMax=${memoryBytes ?? 'infinity'}`,
    ...(memoryBytes === null ? [] : ['MemorySwapMax=0']),
    `TasksMax=${pids ?? 'infinity'}`,
    // The percentage is that of one core; systemd takes no less than one per cent.
    `CPUQuota=${cpuCores === null ? '' : `${Math.max(1, Math.round(cpuCores * 100))}%`}`,
  ];
  const { code, stderr } = await systemctl(pool, scope, ['set-property', slice, ...properties]);
  if (code === 0) return;
  throw new CaissonError('not_supported', 'systemd on the host does not take the limits', {
    details: { slice, said: stderr.slice(0, 300) },
    remedy: `run \`systemctl ${managerOf(scope)} status\` on the host, or ask for no limits`,
  });
}

/** Takes the limits of a sandbox whose processes have ended away again. Idempotent. */
export async function forgetLimits(pool: Pool, { scope, slice }: Scoped): Promise<void> {
  await systemctl(pool, scope, ['stop', slice]);
  const { code, stderr } = await systemctl(pool, scope, ['revert', slice]);
  if (code === 0) return;
  throw new CaissonError('unavailable', `systemd on the host keeps the limits of ${slice}`, {
    details: { slice, said: stderr.slice(0, 300) },
    remedy: `try again, or run \`systemctl ${managerOf(scope)} revert ${slice}\` on the host`,
  });
}

const managerOf = (scope: Scope): '--user' | '--system' => (scope.startsWith('user') ? '--user' : '--system');

async function systemctl(
  pool: Pool,
  scope: Scope,
  words: readonly string[],
): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const manager = managerOf(scope);
  const script = `${manager === '--user' ? runtimeDirectory : ':'}; exec systemctl ${manager} --no-ask-password "$@"`;
  return await run(pool, { script, args: words });
}
