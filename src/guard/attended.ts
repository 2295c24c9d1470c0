/** Who is there to answer, and whether anybody wants to be asked. Fixed when the service opens: nothing that runs later changes it. */
import type { Config } from '../config/types.ts';
import { isInside } from './inside.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Attendance {
  /** Questions about what is known to be dangerous are skipped: YOLO, or `approvals.mode: off`. */
  readonly skips: boolean;
  /** Whether that can be turned on later, for one task or one call. */
  readonly maySkip: () => boolean;
  /** The answer where no person can be asked. `null`: one can. */
  readonly unseen: 'approve' | 'deny' | null;
  /** What people should know about it. */
  readonly notices: readonly string[];
}

export interface Circumstances {
  readonly config: Config;
  /** Environment of the process, without what the state directory adds. */
  readonly env: Environment;
  readonly yolo: boolean;
  readonly hasApprover: boolean;
}

const on = (value: string | undefined): boolean => value !== undefined && /^(?:1|true|yes|on)$/i.test(value);

export function attendance({ config, env, yolo, hasApprover }: Circumstances): Attendance {
  const { approvals, policy } = config;
  const wanted =
    yolo || on(env['CAISSON_YOLO_MODE']) || on(env['HERMES_YOLO_MODE']) || [false, 'off'].includes(approvals.mode);
  const alone = aloneIn(config, { env, hasApprover });
  // Looking for it costs some reads, so only where it matters.
  const inside = (wanted || alone === 'approve') && isInside(env);
  const refused = inside
    ? 'questions are not skipped here: this runs inside a command of Caisson'
    : policy.profile === 'strict'
      ? 'questions are not skipped here: the profile is strict'
      : null;
  return {
    skips: wanted && refused === null,
    maySkip: () => refused === null && !isInside(env),
    unseen: alone === 'approve' && inside ? 'deny' : alone,
    notices: wanted && refused !== null ? [refused] : [],
  };
}

function aloneIn(
  { approvals }: Config,
  { env, hasApprover }: Pick<Circumstances, 'env' | 'hasApprover'>,
): Attendance['unseen'] {
  const cron = on(env['CAISSON_CRON_SESSION']) || on(env['HERMES_CRON_SESSION']);
  if (cron) return approvals.cron_mode;
  return hasApprover ? null : approvals.unattended_mode;
}
