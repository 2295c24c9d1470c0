/** What docs/acp.md has each editor start is a command that Caisson takes. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { acp } from '../../src/cli/commands/acp.ts';
import { parse } from '../../src/cli/parse.ts';

const page = readFileSync(new URL('../../docs/acp.md', import.meta.url), 'utf8');

/** The sentence above each block names its editor. */
const blocks = [...page.matchAll(/\n([^\n]+):\n\n```(json|lua|elisp)\n([^`]+)```/g)].map(
  ([, editor = '', , text = '']) => [editor.split(', in ')[0] ?? '', text] as const,
);

it('the page has five editors', () => {
  expect(blocks.map(([editor]) => editor)).toEqual([
    ...['Zed', 'IDEs of JetBrains', 'Neovim with avante.nvim', 'Neovim with CodeCompanion', 'Emacs with agent-shell'],
  ]);
});

it.each(blocks)('%s starts an agent in a sandbox, which gets its key alone', (_editor, text) => {
  const words = [...text.matchAll(/"([^"]*)"/g)].map(([, word = '']) => word);
  const from = words.indexOf(
    'acp',
    words.findIndex((word) => /(?:^|\/)caisson$/.test(word)),
  );
  const end = words.indexOf('--acp', from);
  expect([from > 0, end > from]).toEqual([true, true]);
  const given = parse(acp, words.slice(from + 1, end + 1));
  expect([given.flag('inside'), given.text('image')]).toEqual([true, 'my-agents']);
  expect(given.command).toHaveLength(2);
  expect(text).toContain(`"-e"`);
  expect(given.list('env')).toEqual([expect.stringMatching(/^[A-Z_]+API_KEY$/)]);
});

it.each(blocks.filter(([, text]) => text.trimStart().startsWith('{')))(
  '%s reads its block as JSON',
  (_editor, text) => {
    const [agent] = Object.values(Object(JSON.parse(text)).agent_servers);
    expect(Object(agent).args.slice(0, 2)).toEqual(['acp', '--inside']);
  },
);
