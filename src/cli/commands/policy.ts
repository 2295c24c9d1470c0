import type { CheckQuery, Decision } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { answerLines } from '../lines.ts';
import { readChoice } from '../values.ts';

type Check = (command: string) => Promise<Decision>;

const exitCodes: Readonly<Record<Decision['verdict'], number>> = { allow: 0, ask: 2, deny: 3 };

export const policyCheck = defineCommand({
  name: 'policy check',
  summary: 'Tell what would be decided about commands',
  about:
    'Nothing is run. Where a service runs, it answers for the rules that it holds. Without COMMAND, lines\n' +
    '{"command": "..."} are read from standard input, and one line\n' +
    'is answered for each, in order. For one COMMAND the exit code is 0 when it may run, 2 when it is\n' +
    'asked for, 3 when it is denied; 125 for a command line that is not understood.\n' +
    'Rules: terminal(git:*) by first words, terminal(npm test) exactly, terminal for all commands. What of a\n' +
    'command a rule by first words does not cover is named: an option that may run a program, for example.',
  operands: [{ name: 'COMMAND', count: 'optional' }],
  // 2 is an answer here.
  usageExitCode: 125,
  runs: false,
  exitsAsCommand: false,
  options: {
    backend: { type: 'text', value: 'NAME', about: 'where it would run; containers skip the lists of commands' },
    cwd: { type: 'text', value: 'DIR', about: 'directory in which it would start' },
    allow: { type: 'list', value: 'RULE', about: 'a further rule that allows' },
    ask: { type: 'list', value: 'RULE', about: 'a further rule that asks, whatever the mode' },
    deny: { type: 'list', value: 'RULE', about: 'a further rule that denies, whatever the mode' },
    stdin: { type: 'flag', about: 'it would read input that is not judged, as after -i' },
    mode: { type: 'text', value: 'MODE', about: 'autonomous, cautious, supervised or plan' },
    profile: { type: 'text', value: 'NAME', about: 'standard or strict' },
  },
  examples: [
    ['one command', "policy check --backend local 'rm -rf build'"],
    ['many at once', 'policy check --backend local --json < commands.ndjson'],
    ['under rules', "policy check --mode supervised --allow 'terminal(git:*)' 'git status'"],
  ],
  run: async (given, context) => {
    const query: CheckQuery = {
      ...placeOf(given.text('backend'), given.text('cwd')),
      ...modeOf(given.text('mode'), given.text('profile')),
      rules: { allow: given.list('allow'), ask: given.list('ask'), deny: given.list('deny') },
      ...(given.flag('stdin') ? { stdin: true } : {}),
    };
    const check = await checkerOf(query, context);
    const [command] = given.operands;
    return command === undefined ? await answerCommands(check, context) : await checkOne(check, command, context);
  },
});

function placeOf(backend: string | undefined, cwd: string | undefined): Pick<CheckQuery, 'backend' | 'cwd'> {
  return { ...(backend === undefined ? {} : { backend }), ...(cwd === undefined ? {} : { cwd }) };
}

function modeOf(mode: string | undefined, profile: string | undefined): Pick<CheckQuery, 'mode' | 'profile'> {
  return {
    ...(mode === undefined
      ? {}
      : { mode: readChoice('--mode', mode, ['autonomous', 'cautious', 'supervised', 'plan']) }),
    ...(profile === undefined ? {} : { profile: readChoice('--profile', profile, ['standard', 'strict']) }),
  };
}

/** A command meets the rules of the service that runs, so that the service answers. */
async function checkerOf(query: CheckQuery, context: Context): Promise<Check> {
  const line = await context.line();
  if (line !== null) return await line.client.policy.checker(query);
  const check = await (await context.settings()).policy.checker(query);
  return async (command) => await Promise.resolve(check(command));
}

async function checkOne(check: Check, command: string, context: Context): Promise<number> {
  const decision = await check(command);
  if (context.json) await context.printJson({ command, ...decision });
  else if (!context.quiet) await context.print(describe(decision, command));
  return exitCodes[decision.verdict];
}

function describe({ verdict, tier, findings }: Decision, command: string): string {
  const lines = findings.map(
    ({ rule, description, start, end }) =>
      `  ${escapeLine(rule)}  ${escapeLine(description)}: ${escapeLine(excerpt(command, start, end))}`,
  );
  return [`${verdict}${tier === 'none' ? '' : ` (${tier})`}`, ...lines, ''].join('\n');
}

const maxExcerpt = 120;

function excerpt(command: string, start: number, end: number): string {
  const text = command.slice(start, end);
  return text.length > maxExcerpt ? `${text.slice(0, maxExcerpt)}...` : text;
}

const answerCommands = async (check: Check, context: Context): Promise<number> =>
  await answerLines(context, {
    example: '{"command": "..."}',
    answer: async (line) => {
      const command = line.text('command');
      return { command, ...(await check(command)) };
    },
  });
