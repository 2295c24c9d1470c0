import { isCode, toCaissonError } from '../../errors.ts';
import { readLine } from '../approver.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { type Draft, draftOf } from '../editor.ts';
import { tellPending } from '../pending.ts';
import { outside } from '../service/outside.ts';
import { reloadLines } from '../reload.ts';

export const configSet = defineCommand({
  name: 'config set',
  summary: 'Set one key in the configuration file',
  about: `VALUE is written as the file has it: 5m, null, true, [a, b]. Comments and order stay. A value that
the check refuses changes nothing. Put a value that begins with - after --.

In a service that runs, rules that ask or deny, and hosts that are denied, hold from its next command
on. All else waits for \`caisson config reload\`, or for a restart: what is printed says for which.`,
  operands: [
    { name: 'KEY', count: 'one' },
    { name: 'VALUE', count: 'one' },
  ],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['another default image', 'config set terminal.docker_image debian:12'],
    ['less memory for the tasks of CI', 'config set tasks.ci-*.container_memory 2g'],
  ],
  run: async (given, context) => {
    const [key = '', text = ''] = given.operands;
    const file = await context.configFile();
    await file.set(key, text);
    context.notice(`${key} is set in ${file.home}/config.yaml`);
    await tellPending(context);
    return 0;
  },
});

export const configEdit = defineCommand({
  name: 'config edit',
  summary: 'Edit the configuration file',
  about: `Opens a copy in the editor that VISUAL or EDITOR names, and puts it in the place of the file when it
is valid. On a terminal a mistake can be corrected; otherwise it changes nothing. A service that runs
takes it up as with \`caisson config set\`.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['with the usual editor', 'config edit'],
    ['a file that does not load any more', 'config edit'],
  ],
  run: async (_given, context) => {
    const file = await context.configFile();
    const was = await file.read();
    await using draft = await draftOf(was ?? '', context.world.env);
    const now = await edited(draft, context);
    if (now === (was ?? '')) {
      context.notice('nothing has changed');
      return 0;
    }
    await file.replace(was, now);
    context.notice(`${file.home}/config.yaml is changed`);
    await tellPending(context);
    return 0;
  },
});

/** Until it is valid. Throws what is wrong with it where no person can correct it, or does not want to. */
async function edited(draft: Draft, context: Context): Promise<string> {
  const file = await context.configFile();
  for (;;) {
    const text = await draft.edit();
    try {
      await file.check(text);
      return text;
    } catch (error) {
      if (!isCode(error, 'invalid_argument') && !isCode(error, 'failed_precondition')) throw error;
      if (!(await wantsAgain(toCaissonError(error).message, context))) throw error;
    }
  }
}

async function wantsAgain(problem: string, { world, say, signal }: Context): Promise<boolean> {
  if (world.stderr.isTTY !== true || world.stdin.isTTY !== true) return false;
  say(problem);
  world.stderr.write('edit it again? [Y/n] ');
  const answer = await readLine(world.stdin, signal);
  return answer !== null && !/^\s*n/i.test(answer);
}

export const configReload = defineCommand({
  name: 'config reload',
  summary: 'Have the service read the configuration file again',
  about: `What the file allows, and rules that it has no longer, hold from then on; \`caisson config show\`
lists them before. Some keys need a restart. Without a service nothing is to be done: every command
reads the file. A command that Caisson runs cannot do it.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['after caisson config set', 'config reload']],
  run: async (_given, context) => {
    const line = await context.line();
    if (line === null) {
      if (context.json) await context.printJson({ running: false, changed: [], needsRestart: [] });
      else context.notice('no service runs: every command reads the file');
      return 0;
    }
    const { env } = context.world;
    const reload = outside(env, 'has no configuration read again', () => line.client.config.reload());
    const reloaded = await reload();
    if (context.json) await context.printJson({ running: true, ...reloaded });
    else for (const text of reloadLines(reloaded)) context.notice(text);
    return 0;
  },
});
