/** Values for fields whose chance values could harm: sandboxes are on this host, where any path or program is a real one. */
import type { ValueTable } from './values.ts';

const names = ['one', 'two', 'three'];

const commands = [
  ['true'],
  ['echo', 'hi'],
  ['sh', '-c', 'echo TOKEN=a; exit 3'],
  ['cat'],
  ['sleep', '0.1'],
  ['no-such-program'],
  [''],
  [],
  ['a\0'],
  'true',
  [1],
];

const pathsIn = (root: string): readonly unknown[] => [
  `${root}/fuzz/a`,
  `${root}/fuzz/b/c`,
  `${root}/fuzz`,
  'fuzz/d',
  '/proc/none/x',
  'a\0b',
  `/${'x'.repeat(5000)}`,
  '',
  7,
];

const ofSandboxes: ValueTable = {
  id: [...names, ...names, 'sbx_0123456789abcdef', '..', 'A', '%zz', 'x'.repeat(600)],
  taskId: [...names, 'ghost', '', 'A/b', 7],
  task: [...names, 'ghost', '', 'A/b', 7],
  backend: ['local', 'nowhere', ''],
  image: ['x', '-x', 'a:b:c'],
};

const ofCommands: ValueTable = {
  command: commands,
  commands: [[{ command: 'ls' }, { command: 'rm -rf /' }], [], ['ls'], [{ command: ['a', 'b'] }]],
  text: ['true', 'echo hi', 'cd /; pwd', 'exit 4', '(', '\0', ''],
  input: ['', 'x', 'a\nb\0'],
  execId: ['exec_a', 'exec_b', 'exec_c', 'exec_', '../x'],
  processId: ['exec_p', 'exec_a', 'x'],
  execs: [1, 5, 0, -1],
  timeoutMs: [50, 300, 0, -1, null, 'x'],
  waitForApproval: [false],
};

const ofTheService: ValueTable = {
  url: ['http://127.0.0.1/', 'x', ''],
  urls: [['http://127.0.0.1/'], [], ['x']],
  host: ['127.0.0.1', '-x', ''],
  recipe: ['none', ''],
  names: [['none'], []],
  key: ['terminal.timeout', 'none', '__proto__', ''],
  value: ['30', 7, null, {}],
  follow: ['false', 'x'],
  seconds: [0, 1],
  wait: ['0'],
  TOKEN: ['a', 7],
  TERM: ['x'],
};

export function safeBelow(root: string): ValueTable {
  const paths = pathsIn(root);
  return {
    path: paths,
    cwd: paths.slice(0, 6),
    to: paths,
    target: paths,
    name: ['main', 'a', '', '\0', 'x'.repeat(300)],
    ...ofSandboxes,
    ...ofCommands,
    ...ofTheService,
  };
}
