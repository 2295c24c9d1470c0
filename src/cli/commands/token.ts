import type { Scope, TokenBounds, TokenInput, TokenView } from '../../service/api.ts';
import { asker } from '../approvals.ts';
import { defineCommand } from '../command.ts';
import { forEachTask } from '../each.ts';
import { formatAge } from '../format.ts';
import type { GivenOf, Options } from '../option.ts';
import { readChoice, readCount, readDuration, readLabels } from '../values.ts';

const scopes: readonly Scope[] = ['run', 'read', 'approve', 'admin'];

const boundOptions = {
  task: { type: 'text', value: 'TASK', about: 'the only task that its bearer sees and makes' },
  label: { type: 'text', value: 'KEY=VALUE', about: 'it sees only sandboxes with this label, and makes them with it' },
  image: { type: 'list', value: 'IMAGE', about: 'an image that it may name; the first where it names none' },
  backend: { type: 'list', value: 'NAME', about: 'a backend that it may name, likewise' },
} as const satisfies Options;

export const tokenCreate = defineCommand({
  name: 'token create',
  summary: 'Make a token for a client of the service',
  about: `The token is printed once; only its hash is kept. No scope includes another, and a token never answers a
question about a command that it asked for itself. Its bearer sees what belongs to its owner, and
nothing else. Sandboxes of other owners than operator get no variable, file or skill of the host.
Limits and images of an owner are under owners in the configuration.
Only tokens of the owner operator may have the scope admin.`,
  operands: [{ name: 'NAME', count: 'one' }],
  runs: false,
  exitsAsCommand: false,
  options: {
    scope: { type: 'list', value: 'SCOPE', about: 'run, read, approve or admin (default: run and read)' },
    owner: { type: 'text', value: 'NAME', about: 'whose sandboxes its bearer has (default: operator)' },
    ...boundOptions,
    lifetime: { type: 'text', value: 'TIME', about: 'after which it does not hold any more, such as 30d or 12h' },
    execs: { type: 'text', value: 'COUNT', about: 'commands that it may run at the same time' },
    'requests-per-minute': { type: 'text', value: 'COUNT', about: 'requests that it may make in a minute' },
  },
  examples: [
    ['for an agent', 'token create agent --scope run --scope read --lifetime 30d'],
    ['for one task, on one image', 'token create ci --task build --image debian:12 --backend docker'],
    ['for the sandboxes of a team', 'token create search --label team=search'],
    ['for the agent of somebody else', 'token create agent --owner alice'],
    ['for a person who answers', 'token create anna --scope approve --scope read'],
  ],
  run: async (given, context) => {
    const chosen = given.list('scope').map((scope) => readChoice('--scope', scope, scopes));
    const owner = given.text('owner');
    const lifetime = given.text('lifetime');
    const lifetimeMs = lifetime === undefined ? null : readDuration('--lifetime', lifetime);
    const service = await context.service();
    const made = await service.tokens.create(
      {
        name: given.operands[0] ?? '',
        scopes: chosen.length === 0 ? ['run', 'read'] : chosen,
        ...(owner === undefined ? {} : { owner }),
        ...(lifetimeMs === null ? {} : { lifetimeMs }),
        ...limitsOf(given.text('execs'), given.text('requests-per-minute')),
        ...boundsIn(given),
      },
      asker(context.world),
    );
    if (context.json) await context.printJson(made);
    else await context.print(`${made.token}\n`);
    context.notice(`token ${made.id} (${made.scopes.join(', ')}): Caisson keeps no copy of it`);
    return 0;
  },
});

function limitsOf(execs: string | undefined, requests: string | undefined): Pick<TokenInput, 'limits'> {
  if (execs === undefined && requests === undefined) return {};
  return {
    limits: {
      ...(execs === undefined ? {} : { execs: readCount('--execs', execs) }),
      ...(requests === undefined ? {} : { requestsPerMinute: readCount('--requests-per-minute', requests) }),
    },
  };
}

function boundsIn(given: GivenOf<typeof boundOptions>): TokenBounds {
  const [task, label] = [given.text('task'), given.text('label')];
  const [first] = label === undefined ? [] : Object.entries(readLabels('--label', [label]));
  return {
    ...(task === undefined ? {} : { task }),
    ...(first === undefined ? {} : { label: { key: first[0], value: first[1] } }),
    ...(given.list('image').length === 0 ? {} : { images: given.list('image') }),
    ...(given.list('backend').length === 0 ? {} : { backends: given.list('backend') }),
  };
}

export const tokenLs = defineCommand({
  name: 'token ls',
  summary: 'List the tokens of the service',
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['which there are', 'token ls']],
  run: async (_given, context) => {
    const tokens = await (await context.service()).tokens.list();
    if (context.json) await context.printJson(tokens);
    else if (context.quiet) await context.print(tokens.map(({ id }) => `${id}\n`).join(''));
    else {
      const nowMs = context.world.nowMs();
      const rows = tokens.map(({ id, owner, name, scopes: held, bounds, createdAt, expiresAt }) => [
        ...[id, owner, name, held.join(','), boundText(bounds), `${formatAge(createdAt, nowMs)} ago`],
        expiresAt ?? 'never',
      ]);
      await context.printTable(['ID', 'OWNER', 'NAME', 'SCOPES', 'BOUND TO', 'MADE', 'ENDS'], rows);
    }
    return 0;
  },
});

export const tokenRm = defineCommand({
  name: 'token rm',
  summary: 'Remove tokens: they hold no more from the next request on',
  operands: [{ name: 'ID', count: 'many' }],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['take one back', 'token rm tok_0123456789abcdef']],
  run: async ({ operands }, context) => {
    const { tokens } = await context.service();
    return await forEachTask({ operands, all: null }, context, (id) => tokens.remove(id, asker(context.world)));
  },
});

function boundText(bounds: TokenView['bounds']): string {
  if (bounds === null) return '-';
  const { task, label, images, backends } = bounds;
  const parts = [
    ...(task === null ? [] : [task]),
    ...(label === null ? [] : [`${label.key}=${label.value}`]),
    ...(images ?? []),
    ...(backends ?? []),
  ];
  return parts.join(' ');
}
