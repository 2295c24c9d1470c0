/** One command line from its words to its exit code. */
import { isCode } from '../errors.ts';
import { openContext, type Context } from './context.ts';
import { helpOf, helpOfGroup, wrapped } from './help.ts';
import { findCommand, type CommandMatch } from './lookup.ts';
import { parse } from './parse.ts';
import { report } from './report.ts';
import { screenWidth } from './screen.ts';
import type { World } from './world.ts';

/** Never throws: every failure is reported and becomes an exit code. */
export async function invoke(argv: readonly string[], world: World): Promise<number> {
  let context: Context | null = null;
  let found: CommandMatch | null = null;
  try {
    // Not in the table of commands, which it reads.
    if (argv[0] === 'completion' && argv[1] === 'words')
      return write(world, await (await import('./completion/words.ts')).completionWords(argv.slice(2), world));
    found = await findCommand(argv);
    if (found.kind === 'group') return help(world, helpOfGroup(found.group, found.commands));
    const given = parse(found.command, found.args);
    if (given.flag('help')) return help(world, helpOf(found.command));
    context = await openContext(given, world);
    const exitCode = await found.command.run(given, context);
    return context.interrupted() === null || exitCode !== 0 ? exitCode : (context.interrupted() ?? 0);
  } catch (error) {
    const interrupted = context?.interrupted() ?? null;
    if (interrupted !== null && isCode(error, 'canceled')) return interrupted;
    context?.clearStatus();
    const usageExitCode = found?.kind === 'command' ? found.command.usageExitCode : undefined;
    return await report(error, world, { ...wishes(argv), usageExitCode });
  } finally {
    await context?.close();
  }
}

const help = (world: World, text: string): number => write(world, wrapped(text, screenWidth(world)));

function write({ stdout }: World, text: string): number {
  stdout.write(text);
  return 0;
}

/** Read from the words themselves, since the failure may be that they do not parse. */
function wishes(argv: readonly string[]): { readonly json: boolean; readonly colourRefused: boolean } {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const json = words.some(
    (word, at) =>
      ['--json', '-ojson', '-o=json', '--output=json'].includes(word) ||
      (word === 'json' && /^(-o|--output)$/.test(words[at - 1] ?? '')),
  );
  return { json, colourRefused: words.includes('--no-color') };
}
