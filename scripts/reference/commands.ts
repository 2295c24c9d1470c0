/** Every command: its line, its options and its examples, from the table that parses the command line. */
import { type Command, usageLine } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import { optionForm } from '../../src/cli/help.ts';
import { everywhere, type Options } from '../../src/cli/option.ts';
import { code, escaped } from './page.ts';

export async function commandReference(): Promise<string> {
  const all = await Promise.all(Object.values(commands).map(async (load) => await load()));
  return ['### Options of every command', optionTable(everywhere), ...all.flatMap(entryOf)].join('\n\n');
}

function entryOf(command: Command): readonly string[] {
  const examples = command.examples.map(([what, line]) => `- ${escaped(what)}: ${code(`caisson ${line}`)}`);
  return [
    `### caisson ${command.name}`,
    `${escaped(command.summary)}.`,
    code(usageLine(command)),
    ...(command.about === undefined ? [] : [escaped(command.about)]),
    ...(Object.keys(command.options).length === 0 ? [] : [optionTable(command.options)]),
    ...(examples.length === 0 ? [] : [`Examples:\n\n${examples.join('\n')}`]),
  ];
}

function optionTable(options: Options): string {
  const rows = Object.entries(options).map(
    ([name, option]) => `| ${code(optionForm(name, option).trim())} | ${escaped(option.about)} |`,
  );
  return ['| option | meaning |', '|---|---|', ...rows].join('\n');
}
