import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as actions from '../../dashboard/src/text/actions.ts';
import { type Action, linesOf } from '../../dashboard/src/text/shell.ts';

const all: readonly Action[] = [
  actions.createAction('build'),
  actions.startAction('build'),
  actions.stopAction(['build', 'web']),
  actions.removeAction(['build']),
  actions.runAction('build', 'echo "$HOME"'),
  actions.logsAction('exec_1'),
  actions.cancelAction('exec_1'),
  actions.killAction('exec_1'),
  actions.fileAction('build', '/workspace/a b'),
  actions.allowAction('build', 'example.com'),
  actions.historyAction({}),
  actions.historyAction({ task: 'build', since: '2026-01-01T00:00:00Z', outcomes: ['denied'] }),
  ...(['once', 'session', 'always', 'deny'] as const).map((choice) => actions.answerAction('apr_1', choice)),
];

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const root = new URL('../../', import.meta.url);
const { paths }: Document = JSON.parse(readFileSync(new URL('docs/openapi.json', root), 'utf8'));
const commands = readFileSync(new URL('docs/command-line.md', root), 'utf8');

/** Whether a path of a request is one of the document, in which names stand in braces. */
const fits = (path: string, known: string): boolean =>
  new RegExp(`^${known.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?')[0] ?? '');

it('each action is a route of the API', () => {
  for (const { method, paths: asked } of all)
    for (const path of asked) {
      const found = Object.entries(paths).filter(([known, each]) => fits(path, known) && method.toLowerCase() in each);
      expect(found, `${method} ${path}`).not.toEqual([]);
    }
});

it('each action with words is a command of the command line, with an option that it has', () => {
  for (const { words } of all) {
    if (words === null) continue;
    const [name = '', second = ''] = words;
    const command = ['net', 'approvals'].includes(name) ? `${name} ${second}` : name;
    const page = commands.split(`\n### caisson ${command}\n`)[1]?.split('\n### ')[0];
    if (page === undefined) expect.unreachable(`there is no command ${command}`);
    for (const option of words
      .slice(0, words.includes('--') ? words.indexOf('--') : undefined)
      .filter((word) => word.startsWith('--')))
      expect(page, `${command} ${option}`).toContain(option);
  }
});

it('no line has a token, and each names the file that has it', () => {
  for (const action of all) {
    const lines = linesOf(action, 'http://127.0.0.1:7480') ?? expect.unreachable();
    expect(`${lines.caisson} ${lines.curl}`).not.toMatch(/bearer|page_|caisson_/i);
    expect(lines.curl).toContain('-H @caller');
  }
});

it('an action on several sandboxes is one command, and one curl with several addresses', () => {
  expect(linesOf(actions.stopAction(['a', 'b']), 'http://x')).toEqual({
    caisson: 'caisson stop a b',
    curl: 'curl -H @caller -X POST http://x/v1/sandboxes/a/stop http://x/v1/sandboxes/b/stop',
  });
});
