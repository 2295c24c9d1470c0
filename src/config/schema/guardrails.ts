/** When somebody who turns in circles is warned, and stopped. */
import { z } from 'zod';
import { flagKey, key } from '../../lib/config-key.ts';

const calls = z.number().int().min(1).max(1000);
const expects = 'exact_failure, same_tool_failure and idempotent_no_progress, each a number of calls';
const limits = z.strictObject({
  exact_failure: calls,
  same_tool_failure: calls,
  idempotent_no_progress: calls,
});

export const guardrailsSection = z.strictObject({
  enabled: flagKey('Watch the calls of a task for circles.'),
  warn_after: key(limits, expects, 'Calls after which the exit of a call tells of it.'),
  hard_stop_after: key(limits, expects, 'Calls after which the next one is not made.'),
  window_seconds: key(
    z.number().int().min(1).max(604_800),
    'whole seconds from 1 on',
    'Seconds for which a call counts.',
  ),
});
