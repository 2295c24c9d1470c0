/** Who is there to answer, and whether anybody wants to be asked. Fixed when the service opens: nothing that runs later changes it. */
import type { Config } from '../config/types.ts';
import { asksElsewhere, isSwitchedOn } from '../values/asks-elsewhere.ts';
import { isInside } from './inside.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Attendance {
  /** Questions about what is known to be dangerous are skipped: YOLO, or `approvals.mode: off`. */
  readonly skips: boolean;
  /** Whether that can be turned on later, for one task or one call. */
  readonly maySkip: () => boolean;
  /** The answer where no person can be asked. `null`: one can. */
  readonly unseen: 'approve' | 'deny' | null;
  /** Whether no approver is here, and a question waits for an answer from elsewhere. */
  readonly waitsElsewhere: boolean;
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

export function attendance({ config, env, yolo, hasApprover }: Circumstances): Attendance {
  const { approvals, policy } = config;
  const wanted = yolo || isSwitchedOn(env, 'YOLO_MODE') || [false, 'off'].includes(approvals.mode);
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
    waitsElsewhere: !hasApprover && asksElsewhere(env),
    notices: wanted && refused !== null ? [refused] : [],
  };
}

function aloneIn(
  { approvals }: Config,
  { env, hasApprover }: Pick<Circumstances, 'env' | 'hasApprover'>,
): Attendance['unseen'] {
  if (isSwitchedOn(env, 'SINGLE_QUERY_SESSION')) return approvals.single_query_mode;
  if (isSwitchedOn(env, 'CRON_SESSION')) return approvals.cron_mode;
  return hasApprover || asksElsewhere(env) ? null : approvals.unattended_mode;
}
