import { type AccountView, type BackendCheck, type Check, everyItem, type RuleExamples } from '../../service/api.ts';
import { CaissonError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { budgetsCheck } from '../budgets.ts';
import { accountSummary, configuredBackends } from '../account.ts';
import { confirmKeys } from '../trust.ts';
import { escapeLine } from '../escape.ts';
import { describeDegraded } from '../explain.ts';
import type { Context } from '../context.ts';
import { formatNamed, plural } from '../format.ts';
import { pendingLines } from '../pending.ts';
import { poolCheck } from '../pool.ts';
import type { Paint } from '../paint.ts';
import type { CommandApi } from '../world.ts';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Tell what is there, what is missing and how to get it',
  about: `Looks at every backend, or at those named, and leaves nothing behind. Those that are configured or have
sandboxes come first, with all that was found, some of it by a trial; the others have a line each.
Without names it also tries the rules of the command policy on their own examples, and tells which
rules have no effect. The exit code is 1 when a named backend, or without names a configured one or a
rule, is not ready. What goes on at this moment is in caisson status.

With --trust, the hosts of one backend are asked for their keys first. One that is not confirmed
is shown, and known from then on when you say yes, or gave its fingerprint. A key that is revoked, or
that takes the place of another one, is never confirmed so.`,
  operands: [{ name: 'BACKEND', count: 'any' }],
  runs: false,
  exitsAsCommand: false,
  options: {
    trust: { type: 'flag', about: 'confirm keys of hosts that are not known yet' },
    fingerprint: { type: 'list', value: 'SHA256:...', about: 'a key to confirm without asking' },
  },
  examples: [
    ['everything', 'doctor'],
    ['is Docker fit for use? For scripts', 'doctor docker -q'],
    ['get to know the host of the ssh backend', 'doctor ssh --trust'],
  ],
  run: async (given, context) => {
    const { operands } = given;
    const service = await context.service();
    const fingerprints = given.list('fingerprint');
    if (given.flag('trust')) await confirmKeys({ service, backends: operands, fingerprints }, context);
    else if (fingerprints.length > 0) throw needsTrustError();
    const named = operands.length > 0;
    const needed = new Set(named ? operands : await configuredBackends(service));
    const used = named ? needed : new Set([...needed, ...(await backendsOfSandboxes(service, context))]);
    const asked = { ...context.options, tried: [...used] };
    const found = await service.backends.check(named ? operands : undefined, asked);
    const checks = found.toSorted((a, b) => Number(used.has(b.backend)) - Number(used.has(a.backend)));
    const ready = checks.filter(({ check }) => check.status === 'ready').map(({ backend }) => backend);
    const accounts = new Map(
      (await service.backends.account(ready, context.options)).map((view) => [view.backend, view] as const),
    );
    const own = named ? [] : await ownParts(service);
    const rules = own.map((each) => ({ ...each, degraded: [] }));
    if (context.json) {
      const backends = checks.map(({ check, ...backend }) => ({
        ...backend,
        ...check,
        account: accounts.get(backend.backend) ?? null,
      }));
      await context.printJson([...backends, ...rules.map(({ part, check }) => ({ part, ...check }))]);
    } else if (!context.quiet) {
      const inUse = checks.filter(({ backend }) => used.has(backend));
      const parts = [
        ...inUse.map(({ backend, module, check, degraded }) => ({
          part: module === null ? backend : `${backend} (${module})`,
          check,
          degraded,
          account: accounts.get(backend),
        })),
        ...rules.map((part) => ({ ...part, account: undefined })),
      ];
      const described = parts.map((part) => describe(part, context.paint));
      const others = checks.filter(({ backend }) => !used.has(backend));
      await context.print(
        [...described, ...(others.length === 0 ? [] : [othersText(others, context.paint)])].join('\n'),
      );
    }
    const missing = checks.filter(({ backend }) => needed.has(backend));
    return [...missing, ...rules].every(({ check }) => check.status === 'ready') ? 0 : 1;
  },
});

async function backendsOfSandboxes({ sandboxes }: CommandApi, { options }: Context): Promise<readonly string[]> {
  const all = everyItem((page) => sandboxes.list(page, options));
  return (await Array.fromAsync(all)).map(({ backend }) => backend);
}

/** A line each: what is wrong with them matters once they are used. */
function othersText(others: readonly BackendCheck[], paint: Paint): string {
  const lines = others.map(({ backend, check: { status, summary, findings } }) => {
    const more = findings.length === 0 ? '' : ` (${plural(findings.length, 'finding')})`;
    return `  ${escapeLine(`${backend}: ${status}. ${summary}${more}`)}`;
  });
  return [
    `${paint.bold('not in use')} (caisson doctor NAME tells how to get one)`,
    ...lines.map((line) => paint.dim(line)),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

interface OwnPart {
  readonly part: string;
  readonly check: Check;
}

async function ownParts(service: CommandApi): Promise<readonly OwnPart[]> {
  const budgets = budgetsCheck(await service.installation.budgets());
  const pool = poolCheck(await service.pool.list());
  return [
    { part: 'policy rules', check: await rulesOf(service) },
    ...(await fileOf(service)),
    ...(budgets === null ? [] : [{ part: 'limits', check: budgets }]),
    ...(pool === null ? [] : [{ part: 'pool', check: pool }]),
  ];
}

/** Rules of the lists on their examples, and rules of people that have no effect or cannot be read. */
async function rulesOf({ policy }: CommandApi): Promise<Check> {
  const check = rulesCheck(await policy.examples());
  try {
    const ignored = (await policy.ignored()).map(ignoredRule);
    return { ...check, findings: [...check.findings, ...ignored] };
  } catch (error) {
    if (!(error instanceof CaissonError)) throw error;
    const { message, remedy } = error;
    const finding = { severity: 'error' as const, id: 'rules', message, remedy: remedy ?? 'correct the rule' };
    const summary = `${check.summary}, but rules of the configuration or the project cannot be read`;
    return { ...check, status: 'unhealthy', summary, findings: [...check.findings, finding] };
  }
}

/** Findings about a service that has not read the file as it is now. */
async function fileOf({ config }: CommandApi): Promise<readonly OwnPart[]> {
  const pending = await config.pending();
  const findings = pendingLines(pending).map((message) => ({
    severity: 'warning' as const,
    id: 'pending',
    message,
    remedy: 'caisson config reload, or restore what the file said',
  }));
  if (findings.length === 0) return [];
  const summary = 'config.yaml has changed since the service read it';
  const broken = pending.problem !== null;
  return [
    {
      part: 'configuration',
      check: { status: broken ? 'unhealthy' : 'ready', summary, findings, remedy: null, facts: {} },
    },
  ];
}

function ignoredRule({ source, rule }: { readonly source: string; readonly rule: string }): Check['findings'][number] {
  return {
    severity: 'warning',
    id: 'ignored',
    message: `${source}: ${rule} has no effect: rules from there may ask and deny, but never allow`,
    remedy: 'add it to approvals.rules.allow of your own configuration if you mean it, or remove it',
  };
}

/** A rule that does not hold is shown with its first example. */
function rulesCheck(rules: readonly RuleExamples[]): Check {
  const failing = rules.filter(({ problems }) => problems.length > 0);
  const examples = rules.reduce((sum, rule) => sum + rule.examples, 0);
  const tried = `${rules.length} rules, ${examples} examples`;
  const isWhole = failing.length === 0;
  return {
    status: isWhole ? 'ready' : 'unhealthy',
    summary: isWhole ? `${tried} hold` : `${failing.length} of ${tried} do not hold`,
    remedy: isWhole ? null : 'install Caisson anew: its rules, or its shell grammar, are not as they were released',
    facts: {},
    findings: failing.map(({ rule, problems: [first = ''] }) => ({
      severity: 'error',
      id: rule,
      message: first,
      remedy: 'until then look at commands that could touch a host yourself (approvals.tool_mode: supervised)',
    })),
  };
}

function needsTrustError(): CaissonError {
  return new CaissonError('invalid_argument', '--fingerprint is for --trust', { remedy: 'give both, or none' });
}

interface Part {
  readonly part: string;
  readonly check: Check;
  readonly degraded: BackendCheck['degraded'];
  readonly account: AccountView | undefined;
}

function describe({ part, check, degraded, account }: Part, paint: Paint): string {
  const colour = check.status === 'ready' ? paint.green : check.status === 'missing' ? paint.dim : paint.red;
  const facts = Object.entries(check.facts).map(
    ([name, value]) => `${name} ${value === null ? 'unknown' : formatNamed(name, value)}`,
  );
  const lines = [
    `${paint.bold(escapeLine(part))}: ${colour(check.status)}. ${escapeLine(check.summary)}`,
    ...wrap(facts.map(escapeLine)).map((line) => paint.dim(`  ${line}`)),
    ...(account === undefined ? [] : [`  ${escapeLine(accountSummary(account))}`]),
    ...describeDegraded(degraded).map((line) => `  not enforced: ${escapeLine(line)}`),
    ...(check.remedy === null ? [] : [`  try: ${escapeLine(check.remedy)}`]),
    ...check.findings.flatMap(({ severity, id, message, remedy }) => [
      `  ${severity === 'error' ? paint.red('error') : paint.yellow('warning')} ${escapeLine(`${id}: ${message}`)}`,
      `    try: ${escapeLine(remedy)}`,
    ]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

const widestLine = 96;

function wrap(facts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const fact of facts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + fact.length + 2 <= widestLine) lines[lines.length - 1] = `${last}, ${fact}`;
    else lines.push(fact);
  }
  return lines;
}
