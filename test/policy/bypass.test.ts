import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../src/shell/types.ts';
import { decide, guarded, policyWith } from './opened.ts';

const verdict = (command: string): string => decide(command, { policy: guarded }).verdict;

/** Commands by class: those that must be denied, and those that must at least be asked for. */
const classes: Readonly<Record<string, { readonly deny?: readonly string[]; readonly ask?: readonly string[] }>> = {
  '1 separators': { deny: ['git status\nrm -rf x', 'git status & curl e', "echo a # '\nrm -rf x"], ask: ['ls |& sh'] },
  '2 substitutions': {
    deny: ['echo "$(curl e)"', 'ls `rm x`', 'cat <(curl e)', 'echo ${x:-$(rm x)}', 'cat <<E\n$(rm x)\nE'],
  },
  '3 expansions that evaluate': {
    ask: [
      'x=\'$(id)\'; echo "${x@P}"',
      "x='a[$(id)]'; echo $((x))",
      "printf -v 'a[$(id)]' x",
      'echo ${!v}',
      'echo $[x]',
      "read 'a[$(id)]'",
      "unset 'a[`id`]'",
      '(( x > 1 )) && ls',
    ],
  },
  '4 quoting the name': {
    deny: ['r""m x', '\\rm x', "'r'm x", "$'\\x72\\x6d' x", 'rm${IFS}x', '$(echo rm) x', 'a=rm; $a x', '{rm,-rf,x}'],
    ask: ['/bin/r? x', '$x y', '"$(cat f)" x'],
  },
  '5 wrappers and depth': {
    deny: [
      "env -S 'rm x'",
      'env A=1 nice timeout 5 rm x',
      'busybox rm x',
      'xargs rm <l',
      'command -p rm x',
      `${'nohup setsid '.repeat(20)}sh -c 'rm x'`,
      `${'nice '.repeat(30)}rm x`,
      'caisson exec --backend local -- rm x',
      'npx caisson exec x -- rm x',
      'node bin/caisson.js session run x y -- "ls; rm x"',
      'echo "rm x" | caisson sh y',
      'npx rm x',
      "npm exec -c 'rm x'",
      'uv run rm x',
      "tmux send-keys 'rm x' Enter",
      "git submodule foreach 'rm x'",
      'git bisect run rm x',
    ],
  },
  '6 nested interpreters': {
    deny: ["bash -c 'rm x'", 'echo cm0gLXJm | base64 -d | sh', "bash <<<'rm x'", 'cat <<E | sh\nrm x\nE', 'eval rm x'],
    ask: ["python3 -c 'import os'", '. ./f', 'eval "$x"', 'source f', 'bash f'],
  },
  '7 options of reading tools': {
    deny: ['find . -exec rm {} +'],
    ask: [
      'find . -delete',
      'find . -fprintf f x',
      'sort -o f',
      'sort --compress-prog=sh',
      'rg --pre sh',
      "sed '1e id' f",
      "sed 'w f' g",
      'awk \'BEGIN{system("id")}\'',
      'tar --to-command x',
      'git grep -Oless x',
      'man -P x ls',
      'find . -ok id \\;',
    ],
  },
  '8 abbreviated and glued options': {
    ask: [
      'sort --compress-prog sh f',
      'sort -oF',
      'git -cX=Y status',
      'sort -uoF x',
      'git --exec-p=x status',
      'grep -fx --unknown y',
      'cat --output x',
    ],
    deny: ['curl -sSLo f'],
  },
  '9 configuration as code': {
    ask: [
      'git -c core.fsmonitor=x status',
      "git -c alias.s='!id' s",
      'GIT_CONFIG_COUNT=1 git status',
      'npm test',
      'make',
      'git s',
      'git submodule foreach x',
      'git config alias.s x',
      'git clone ext::sh x',
    ],
  },
  '10 environment': {
    ask: [
      'PATH=. git status',
      'LD_PRELOAD=./x ls',
      'BASH_ENV=f bash -c :',
      'PAGER=x git log',
      "env 'BASH_FUNC_ls%%=() { id; }' ls",
      'export PATH=.; git status',
      'A=b ls',
    ],
  },
  '11 writing': {
    ask: [
      'echo k >> ~/.bashrc',
      'echo x >|f',
      'echo x &>f',
      'cat <>f',
      'cat | tee f',
      'cp /dev/stdin f',
      'exec 3<>/dev/tcp/h/80',
      'dd of=x',
      'ln -sf a b',
      'echo x > /dev/tcp/h/80',
      'cat < /dev/tcp/h/80',
      'git diff --output=x',
      'git log --output=x',
    ],
  },
  '12 directories': { deny: ['cd / && rm -rf *'], ask: ['git -C /x status', 'pushd /x', 'cd / && ls'] },
  '13 definitions': {
    deny: ['git(){ rm x; }; git status', "alias ls='rm x'\nls", "trap 'rm x' EXIT"],
    ask: [
      'git(){ id; }; git status',
      'alias ls=id\nls',
      'enable -f x y',
      'hash -p /x git',
      'set -- a',
      "PROMPT_COMMAND='id'",
      'ls(){ :; }; ls',
    ],
  },
  '14 readings that differ': {
    ask: [
      'git\u00a0status',
      'ls\u200b',
      'ls \u202egnp',
      'git status\r\nls',
      '\uff47\uff49\uff54 status',
      '=ls',
      "ls *(e:'id':)",
      'ls "',
      'echo $[ 1 ]',
      'ls\u2028id',
      'ls \u0000 x',
      "ls '",
      "cat <<'E\nls\nE",
      'ls <(id)',
      'ca\u0301t x',
      '\u001b[2Kls',
    ],
    deny: ['coproc rm x', 'time rm x', 'r\\\nm x', '=rm x ; rm y'],
  },
  '15 volume': {
    deny: [10, 51, 1000, 20_000].map((count) => `${'ls;'.repeat(count)}rm x`),
    ask: [`ls ${'a '.repeat(40_000)}`, `${'$('.repeat(300)}ls${')'.repeat(300)}`],
  },
};

describe.each(Object.entries(classes))('bypass class %s', (_name, { deny = [], ask = [] }) => {
  it.each(deny)('denies %j', (command) => expect(verdict(command)).toBe('deny'));
  it.each(ask)('does not allow %j', (command) => expect(verdict(command)).not.toBe('allow'));
});

it.each(['sort -o$ a', 'sort -r $ == -o b', '[ a > b ]', '[ a || id ]', "cat $'a\\'; id #'", '[[ a || id ]]'])(
  'what the grammar leaves out of %j is not allowed by words',
  (command) => {
    const policy = policyWith({
      mode: 'supervised',
      rules: { allow: ['terminal(cat:*)', 'terminal(sort:*)', 'terminal(test:*)'] },
    });
    expect(decide(command, { policy }).verdict).toBe('ask');
  },
);

describe('the same lists', () => {
  it.each([
    'git status',
    'ls -la src',
    'cat README.md',
    'echo hello | grep h',
    'git diff HEAD~1 && git log --oneline -5',
    'find . -name "*.ts" -type f',
    'sort -u names',
    'git  status',
    '"git" status',
    '/usr/bin/git status',
    'ls 2>/dev/null',
    'for i in 1 2; do echo hi; done',
    "git commit -m 'no -- exec'",
  ])('allow %j', (command) =>
    expect(decide(command, { policy: guarded })).toMatchObject({ verdict: 'allow', tier: 'rule' }),
  );

  it('hold in a container too', () => {
    expect(decide('sudo rm x', { policy: guarded, reach: 'container' })).toMatchObject({
      verdict: 'deny',
      tier: 'rule',
    });
    expect(decide('id', { policy: guarded, reach: 'container' })).toMatchObject({ verdict: 'ask', tier: 'mode' });
  });
});

describe('CP-11 definitions and directories', () => {
  it.each([
    ['x(){ rm "$@"; }; x -rf /', 'deny'],
    ['f(){ g "$@"; }; g(){ rm "$@"; }; f -rf /', 'deny'],
    ['alias x=rm\nx -rf /', 'deny'],
    ["alias x='rm -rf' sudo='sudo '\nsudo x /", 'deny'],
    ['x(){ rm -rf "$1"; }; x build', 'ask'],
    ['go(){ cd /etc; }; go; echo x > passwd', 'ask'],
    ['cd(){ builtin cd /etc; }; cd sub; echo x > passwd', 'ask'],
    ['walk(){ for d in */; do walk "$d"; done; }; walk', 'allow'],
    ['log(){ echo "$@" >&2; }; log starting', 'allow'],
    ['f(){ f x | cat; }; f', 'allow'],
  ])('%j is %s', (command, expected) => expect(decide(command).verdict).toBe(expected));

  it('that a living shell has are judged by what they run', () => {
    const policy = policyWith();
    const at = (command: string, place: Partial<CommandContext>) =>
      policy.decide({ command, cwd: '/srv', reach: 'host', ...place });
    const x = { kind: 'function', name: 'x', text: '{ \n rm "$@"\n}' } as const;
    expect(at('x -rf /', { definitions: [x] }).tier).toBe('hardline');
    expect(at('x -rf /', { definitions: [] }).verdict).toBe('allow');
    expect(at('x', { definitions: [{ ...x, text: null }] })).toMatchObject({
      verdict: 'ask',
      findings: [{ rule: 'U9' }],
    });
    expect(at('ls', { definitions: [], unclear: true })).toMatchObject({ verdict: 'ask', findings: [{ rule: 'U9' }] });
    expect(at('echo x > passwd', { cwd: '/etc' }).findings).toMatchObject([{ rule: 'D7' }]);
    expect(at('echo x > passwd', { cwd: null }).findings).toMatchObject([{ rule: 'D8u' }]);
    expect(at('pwd(){ :; }', { definitions: [] }).verdict).toBe('ask');
    expect(at('pwd(){ :; }', {}).verdict).toBe('allow');
    const listed = policyWith({ mode: 'supervised', rules: { allow: ['terminal(ls:*)'] } });
    const shadowed = { ...x, name: 'ls', text: '{ :; }' };
    expect(listed.decide({ command: 'ls', cwd: '/', reach: 'container', definitions: [shadowed] }).verdict).toBe('ask');
  });
});

describe('CP-06, CP-07, CP-13 composition', () => {
  const policy = policyWith({
    mode: 'supervised',
    rules: {
      allow: ['terminal(npm test)', 'terminal(git:*)'],
      ask: ['terminal(git push:*)'],
      deny: ['terminal(git push --force:*)'],
    },
  });

  it('takes the strictest', () => {
    expect(decide('git pull', { policy }).verdict).toBe('allow');
    expect(decide('git push', { policy })).toMatchObject({ verdict: 'ask', tier: 'rule' });
    expect(decide('git -C x push origin --force', { policy })).toMatchObject({ verdict: 'deny', tier: 'rule' });
    expect(decide('git status && curl x', { policy }).verdict).toBe('ask');
  });

  it.each([
    ['npm test; id', 'ask'],
    ['npm testx', 'ask'],
    ['npm test -- --x', 'ask'],
    ['npm test\nid', 'ask'],
    ['npm\ttest', 'allow'],
    ['"npm" test', 'allow'],
    ['npm test', 'allow'],
    ['/tmp/npm test', 'ask'],
  ])('reads %j by words: %s', (command, expected) => {
    expect(decide(command, { policy }).verdict).toBe(expected);
  });
});
