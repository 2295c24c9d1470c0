/** Commands that a human is asked about, and the rules by which. */
import { z } from 'zod';
import { checkedText, key } from '../../lib/config-key.ts';

/** A delay of Node's timers has 31 bits of milliseconds. */
const timerSeconds = 2_147_483;
const maxSessionSeconds = 366 * 86_400;
const maxRules = 1000;
const maxRuleUnits = 4096;
/** A rule around it is shorter than the longest one. */
const maxGlobUnits = 4000;

/** The form only: what stands in the brackets is read when the rules are composed. */
function ruleProblem(text: string): string | null {
  if (text.length > maxRuleUnits) return `a rule has at most ${maxRuleUnits} characters`;
  return /^\s*[A-Za-z][\w.-]*(?:\([^]+\))?\s*$/.test(text)
    ? null
    : 'expected tool or tool(pattern), such as terminal(git:*), write_file(src/**) or read_file';
}

const ruleList = z.array(checkedText(ruleProblem)).max(maxRules);

export const rulesKey = key(
  z.strictObject({ allow: ruleList.optional(), ask: ruleList.optional(), deny: ruleList.optional() }),
  'lists of rules under allow, ask and deny',
  'Rules by tool and pattern. The strictest that matches wins; ask and deny hold in every mode.',
);

export const toolModeKey = key(
  z.enum(['autonomous', 'cautious', 'supervised', 'plan']),
  'autonomous, cautious, supervised or plan',
  'What happens to what no rule names: run it; let reading run; ask for everything; refuse all but reading.',
);

const answerWithoutHuman = (about: string): z.ZodEnum<{ deny: 'deny'; approve: 'approve' }> =>
  key(z.enum(['deny', 'approve']), 'deny or approve', about);

/** `off`, unquoted, is false to YAML 1.1. */
const modes = z.union([z.enum(['manual', 'smart', 'off']), z.literal(false)]);

export const approvalsSection = z.strictObject({
  mode: key(
    modes,
    'manual, smart or off',
    'Who is asked about dangerous commands: a human; a model first, then a human; no approver.',
  ),
  timeout: key(
    z.number().positive().max(timerSeconds),
    'seconds above 0',
    'Seconds to wait for an answer. After them the command is refused.',
  ),
  remote_timeout: key(
    z.number().positive().max(timerSeconds),
    'seconds above 0',
    'The same for clients of the service, where people answer from elsewhere.',
  ),
  session_seconds: key(
    z.number().positive().max(maxSessionSeconds).nullable(),
    'seconds above 0, or null',
    'Seconds for which the answer "session" holds, at most. null: until the sandbox of the task is removed.',
  ),
  cron_mode: answerWithoutHuman(
    'Answer for dangerous commands of scheduled runs (CAISSON_CRON_SESSION=1), where no approver can be asked.',
  ),
  single_query_mode: answerWithoutHuman(
    'Answer for dangerous commands of a single query (CAISSON_SINGLE_QUERY_SESSION=1), where no approver can be asked.',
  ),
  unattended_mode: answerWithoutHuman('Answer for dangerous commands wherever else no approver can be asked.'),
  tool_mode: toolModeKey,
  deny: key(
    z.array(z.string().regex(/\S/).max(maxGlobUnits)).max(maxRules),
    'a list of patterns such as git push *',
    'Commands that are refused everywhere, by their text: * ? and [abc] stand for characters, in any case.',
  ),
  rules: rulesKey,
  smart: key(
    z.strictObject({
      base_url: z
        .string()
        .regex(/^https?:\/\/\S+$/)
        .nullable()
        .optional(),
      model: z.string().min(1).nullable().optional(),
      api_key_env: z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
        .nullable()
        .optional(),
    }),
    'base_url, model and api_key_env',
    'The model of mode smart: an endpoint that speaks the chat protocol of OpenAI.',
  ),
  denial_breaker_threshold: key(
    z.number().int().min(0).max(1000),
    'a whole number from 0 on',
    'Refusals of the model in a row after which it is not asked any more. 0: it always is.',
  ),
});

export const acpSection = z.strictObject({
  edits: key(
    z.enum(['ask', 'session', 'policy']),
    'ask, session or policy',
    'Edits of an agent under `caisson acp`: each is asked about; the first of a session; those that rules name.',
  ),
});

export const allowlistKey = key(
  z.array(z.string().min(1).max(maxRuleUnits)).max(maxRules),
  'a list of descriptions, program names, command texts or rules',
  'What is not asked about any more. Answers "always" are added here.',
);
