/** The gate of a service, with its steps in order. A new step is one line here. */
import type { Budgets } from '../budget/budgets.ts';
import { homedir } from 'node:os';
import type { Audit } from '../audit/types.ts';
import type { Loaded } from '../config/types.ts';
import { WebsitePolicy } from '../network/website-policy.ts';
import { unknownTools } from '../policy/permission/tools.ts';
import type { Store } from '../store/store.ts';
import { withConfigFile } from '../sandbox/lease.ts';
import { attendance } from './attended.ts';
import { Approvals } from './approve-step.ts';
import { ApprovalQueue } from './approval-queue.ts';
import { ExamplesStep } from './examples-step.ts';
import { Grants } from './grants.ts';
import { Gate, type Record as Keep, type Step } from './gate.ts';
import { hooksOf } from './hooks/configured.ts';
import { HookStep } from './hooks/step.ts';
import { isInside } from './inside.ts';
import { judging, refusing } from './judge-step.ts';
import { Loops } from './loops/loops.ts';
import { callerEntry, recordIn } from './record.ts';
import { Rulebook, type RulebookInput } from './rulebook.ts';
import { saveAllowed } from './save-rule.ts';
import { seeing } from './see-step.ts';
import { isClientInstalled, SmartReview } from './smart.ts';
import { TirithStep } from './tirith/step.ts';
import type { GuardInput } from './types.ts';
import { WriteStep } from './writes/step.ts';
import { given } from '../lib/given.ts';

export interface GuardContext {
  readonly loaded: Loaded;
  /** Store that holds open questions. */
  readonly store: Store;
  /** The environment of the process, without what the state directory adds. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Working directory of the caller: its project may have rules. */
  readonly cwd: string;
  /** Log that keeps decisions. */
  readonly audit?: Audit;
  /** What clients of the service share. */
  readonly budgets: Budgets;
}

export interface Guard {
  readonly gate: Gate;
  /** For a command that ran before, whose record is asked for: only what denies it. */
  readonly repeats: Gate;
  readonly rulebook: Rulebook;
  readonly approvals: Approvals;
  readonly queue: ApprovalQueue;
  readonly grants: Grants;
  readonly hooks: HookStep;
  readonly websites: WebsitePolicy;
  readonly loops: Loops;
  readonly notices: readonly string[];
}

/** Rules and settings alone: enough to say what would be decided. */
export function openRules(
  { loaded, env, cwd, store }: Pick<GuardContext, 'loaded' | 'env' | 'cwd'> & Partial<Pick<GuardContext, 'store'>>,
  input: GuardInput,
) {
  const { config } = loaded;
  const { approver = null, yolo = false } = input;
  const attended = attendance({ config, env, yolo, hasApprover: approver !== null });
  const userHome = loaded.env['HOME'] ?? homedir();
  const websites = new WebsitePolicy({ blocklist: config.security.website_blocklist, home: loaded.home, userHome });
  const commandLine = commandLineOf(input, env);
  const savedOf: RulebookInput['savedOf'] = async (owner) => (await store?.savedRules.of(owner)) ?? noneSaved;
  const rulebook = new Rulebook({
    config,
    origins: loaded.origins,
    websites,
    directory: cwd,
    commandLine,
    savedOf,
    isInside: () => isInside(env),
  });
  const notices = [...attended.notices, ...smartNotices(loaded), ...ruleNotices(loaded, input), ...websites.notices];
  return { attended, userHome, websites, rulebook, notices };
}

export function openGuard({ loaded, store, env, cwd, audit, budgets }: GuardContext, input: GuardInput): Guard {
  const { config } = loaded;
  const { approver = null } = input;
  const { attended, userHome, websites, rulebook, notices } = openRules({ loaded, env, cwd, store }, input);
  const queue = new ApprovalQueue(store);
  const grants = new Grants(store, () => loaded.config.approvals.session_seconds);
  const approvals = new Approvals({
    open: budgets.of('questions'),
    rulebook,
    attendance: attended,
    queue,
    grants,
    smart: smartOf(loaded),
    approver: approver === 'queue' ? null : approver,
    timeoutMs: () => {
      const { timeout, remote_timeout: elsewhere } = loaded.config.approvals;
      return (attended.waitsElsewhere ? elsewhere : timeout) * 1000;
    },
    remoteTimeoutMs: () => loaded.config.approvals.remote_timeout * 1000,
    userHome,
    save: (rules) => withConfigFile(store, () => saveAllowed(loaded.home, ['command_allowlist'], rules)),
    saveFor: async (owner, rules, by) => {
      for (const rule of rules) await store.savedRules.insert({ owner, rule, savedBy: by, savedAt: Date.now() });
    },
    skipped: (taskId, on, caller) =>
      audit?.recordSoon({ type: 'decision', taskId, execId: null, skips_questions: on, ...callerEntry(caller) }),
  });
  const record = audit === undefined ? null : recordIn(audit);
  const hooks = new HookStep({
    hooks: hooksOf(config),
    home: loaded.home,
    userHome: loaded.env['HOME'],
    env: loaded.env,
    acceptsNew: config.hooks.auto_accept,
  });
  const tirith = new TirithStep({ security: config.security, env: loaded.env, home: loaded.home });
  const writes = new WriteStep({ userHome, home: loaded.home });
  const loops = new Loops(config.tool_loop_guardrails, loaded.home);
  const seen = seeing(rulebook);
  const examples = new ExamplesStep({
    examples: async () => await (await import('../policy/examples.ts')).checkedExamples(),
    afterMs: 10_000,
    betweenMs: 20,
  });
  const judged = [judging(rulebook, userHome), refusing, writes, examples];
  const steps = [seen, hooks, loops, seen, ...judged, tirith, approvals];
  const gate = new Gate(steps, (from, outcome) => {
    record?.(from, outcome);
    if ('refused' in outcome) loops.refused(from, outcome.refused);
  });
  const repeats = repeatsGate(judging(rulebook, userHome), record);
  return { gate, repeats, rulebook, approvals, queue, grants, hooks, websites, loops, notices };
}

const noneSaved: readonly never[] = [];

function commandLineOf({ rules, mode }: GuardInput, env: GuardContext['env']): RulebookInput['commandLine'] {
  return {
    ...given({ rules, mode }),
    mayOnlyTighten: (rules !== undefined || mode !== undefined) && isInside(env),
  };
}

function repeatsGate(judged: Step, record: Keep | null): Gate {
  return new Gate([judged, refusing], (from, outcome) => {
    if ('refused' in outcome) record?.(from, outcome);
  });
}

function ruleNotices({ config }: Loaded, { rules = {} }: GuardInput): readonly string[] {
  const unknown = [
    config.approvals.rules,
    ...Object.values(config.tasks).map((task) => task.rules ?? {}),
    ...Object.values(config.owners).map((owner) => owner.rules ?? {}),
    rules,
  ].flatMap(unknownTools);
  return unknown.map(({ rule, tool, near }) => {
    const meant = near === null ? '' : `, did you mean ${near}?`;
    return `the rule ${JSON.stringify(rule.slice(0, 200))} has no effect: no tool of Caisson is called ${tool}${meant}`;
  });
}

function smartNotices({ config, env }: Loaded): readonly string[] {
  const { mode, smart } = config.approvals;
  if (mode !== 'smart') return [];
  const missing = (['base_url', 'model'] as const).filter((key) => !smart[key]).map((key) => `approvals.smart.${key}`);
  if (missing.length > 0)
    return [`approvals.mode is smart without ${missing.join(' and ')}: every question goes to a human`];
  if (!isClientInstalled())
    return [
      'approvals.mode is smart, and the package openai is not installed: every question goes to a human (npm install openai)',
    ];
  const key = smart.api_key_env;
  return key && !env[key]
    ? [`approvals.smart.api_key_env names ${key}, which is not set: the model is asked without a key`]
    : [];
}

/** Without an endpoint and a model every question goes to a human. */
function smartOf({ config, env }: Loaded): SmartReview | null {
  const { mode, smart, denial_breaker_threshold: denialsInRow } = config.approvals;
  const { base_url: baseUrl, model, api_key_env: keyName } = smart;
  if (mode !== 'smart' || !baseUrl || !model) return null;
  const apiKey = keyName ? (env[keyName] ?? null) : null;
  return new SmartReview({ baseUrl, model, apiKey, denialsInRow });
}
