/** Who is there to answer, and whether anybody wants to be asked. Fixed when the service opens: nothing that runs later changes it. */
import type { Config } from '../config/types.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Attendance {
  /** Questions about what is known to be dangerous are skipped: YOLO, or `approvals.mode: off`. */
  readonly skips: boolean;
  /** Whether that can be turned on later, for one task. */
  readonly maySkip: boolean;
  /** The answer where nobody can be asked. `null`: somebody can. */
  readonly unseen: 'approve' | 'deny' | null;
  /** What people should know about it. */
  readonly notices: readonly string[];
}

export interface Circumstances {
  readonly config: Config;
  /** Of the process, without what the state directory adds. */
  readonly env: Environment;
  readonly yolo: boolean;
  readonly hasApprover: boolean;
}

const on = (value: string | undefined): boolean => value !== undefined && /^(?:1|true|yes|on)$/i.test(value);

/** A process that Caisson itself started inside a sandbox on this host. */
const isInside = (env: Environment): boolean => Boolean(env['CAISSON_EXEC']) || Boolean(env['CAISSON_SANDBOX']);

export function attendance({ config, env, yolo, hasApprover }: Circumstances): Attendance {
  const { approvals, policy } = config;
  const wanted =
    yolo || on(env['CAISSON_YOLO_MODE']) || on(env['HERMES_YOLO_MODE']) || [false, 'off'].includes(approvals.mode);
  const refused = isInside(env)
    ? 'questions are not skipped here: this runs inside a command of Caisson'
    : policy.profile === 'strict'
      ? 'questions are not skipped here: the profile is strict'
      : null;
  const cron = on(env['CAISSON_CRON_SESSION']) || on(env['HERMES_CRON_SESSION']);
  const alone = cron ? approvals.cron_mode : hasApprover ? null : approvals.unattended_mode;
  return {
    skips: wanted && refused === null,
    maySkip: refused === null,
    unseen: alone === 'approve' && isInside(env) ? 'deny' : alone,
    notices: wanted && refused !== null ? [refused] : [],
  };
}
