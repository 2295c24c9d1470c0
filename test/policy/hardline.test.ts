import { describe, expect, it } from 'vitest';
import { decide, policyWith } from './opened.ts';
import { forms, hardline } from './matrix.ts';

const lenient = policyWith({
  mode: 'autonomous',
  rules: {
    allow: ['terminal', ...hardline.map((command) => `terminal(${command})`).filter((rule) => !/[$~*]/.test(rule))],
  },
  commandAllowlist: ['recursive delete', 'rm', 'reboot', 'rm -rf *', 'H1'],
});

describe('CP-01 hardline commands', () => {
  it.each(hardline)('%s is denied in every mode, under every allowing rule and list', (command) => {
    expect(decide(command, { policy: lenient })).toMatchObject({ verdict: 'deny', tier: 'hardline' });
    for (const mode of ['autonomous', 'cautious', 'supervised', 'plan'] as const)
      expect(decide(command, { policy: policyWith({ mode }) }).tier).toBe('hardline');
  });

  it('are left to the container unless the operator keeps the list there', () => {
    const kept = policyWith({ containerHardline: true });
    for (const command of hardline) {
      expect(decide(command, { reach: 'container' }).verdict).toBe('allow');
      expect(decide(command, { reach: 'container', policy: kept })).toMatchObject({
        verdict: 'deny',
        tier: 'hardline',
      });
    }
  });
});

describe('CP-02 the matrix of wrappers', () => {
  it('has more than 1,000 strings and denies them all', () => {
    const written = hardline.flatMap((command) => forms.map((form) => form(command)));
    expect(written.length).toBeGreaterThan(1000);
    expect(written.filter((command) => decide(command).verdict !== 'deny')).toEqual([]);
  });
});

describe('what happens on another machine, or to a file', () => {
  const kept = policyWith({ containerHardline: true });
  it.each([
    'ssh host reboot',
    "ssh host 'sudo reboot'",
    "vagrant ssh -c 'sudo reboot'",
    'ssh h <<E\nshutdown -h now\nE',
    'sshpass -p x ssh h reboot',
    'ansible all -a reboot',
    'systemctl -H h poweroff',
    'mkfs.ext4 disk.img',
    'mkfs.ext4 /dev/loop7',
    'mkfs -t xfs "$image"',
  ])('asks about %j, also where only the hardline holds', (command) => {
    expect(decide(command)).toMatchObject({ verdict: 'ask', tier: 'dangerous' });
    expect(decide(command, { reach: 'container', policy: kept }).verdict).toBe('ask');
    expect(decide(command, { reach: 'container' }).verdict).toBe('allow');
  });

  it.each([
    'ssh localhost reboot',
    'ssh root@127.0.0.1 reboot',
    'systemctl -H localhost reboot',
    'ssh host rm -rf /',
    'ssh host mkfs.ext4 /dev/sdb',
    'cd /dev && mkfs.ext4 sdb',
    'ssh host uptime; reboot',
    "ssh -o ProxyCommand='reboot' host reboot",
  ])('refuses %j, which is sure', (command) => {
    expect(decide(command)).toMatchObject({ verdict: 'deny', tier: 'hardline' });
  });
});

describe('CP-03 spellings', () => {
  it.each([
    'rm -r -f /',
    'rm -fr /',
    'rm --recursive --force /',
    'rm --rec /',
    'rm -rf -- /',
    'rm / -rf',
    'rm -rf /.',
    'rm -rf //',
    'rm -rf /./',
    'rm -rf /*',
    'rm -rf /../',
    'rm -rf "/"',
    "rm -rf '/'*",
    'rm -rf ${HOME}',
    'rm -rf ~',
    'rm -rf ~/',
    'rm -rf ~/*',
    'rm -rf /etc /',
    'rm -rf --no-preserve-root /',
    'rm -rf /proc/self/root',
    'rm -rf ${X:-/}',
    'X=/; rm -rf $X',
    'X=/; rm -rf "${X}etc"',
    'rm -rf /{etc,usr}',
    "rm -rf $'\\x2f'",
    'rm${IFS}-rf${IFS}/',
    '{rm,-rf,/}',
    '/b?n/rm -rf /',
    '/bin/r? -rf /',
    'a=r; b=m; $a$b -rf /',
    'cd /; rm -rf *',
    'cd / && rm -rf .',
    'pushd /etc && rm -rf ../usr',
    '(cd ~ && rm -rf .)',
    'r\\\nm -rf /',
    'rm -rf /\r',
    'rm\u00a0-rf\u00a0/',
    '\uff52\uff4d -rf /',
    'r\u200bm -rf /',
    '\u001b[0mrm -rf /',
    'find / -exec rm -rf {} +',
    'echo / | xargs rm -rf',
    'for d in /; do rm -rf $d; done',
    'sh -c \'rm -rf "$1"\' _ /',
    'RM -rf /',
  ])('%j is denied', (command) => expect(decide(command)).toMatchObject({ verdict: 'deny', tier: 'hardline' }));

  it('follows the directory the command starts in', () => {
    expect(decide('rm -rf *', { cwd: '/' }).verdict).toBe('deny');
    expect(decide('cd ..; rm -rf *', { cwd: '/home/u' }).verdict).toBe('deny');
    expect(decide('cd ..; rm -rf *', { cwd: '/home/u/project' }).verdict).toBe('ask');
    expect(decide('rm -rf .', { cwd: '/usr' }).verdict).toBe('deny');
  });

  it('knows the home directory by its path, when it is given', () => {
    const at = (command: string): string =>
      policyWith().decide({ command, cwd: '/work', home: '/srv/agent', reach: 'host' }).verdict;
    expect([
      at('rm -rf /srv/agent'),
      at('rm -rf /srv/agent/*'),
      at('cd /srv; rm -rf agent/'),
      at('rm -rf /srv/agent/x'),
      at('rm -rf /srv/agent2'),
    ]).toEqual(['deny', 'deny', 'deny', 'ask', 'ask']);
  });
});

describe('CP-04 no false alarm', () => {
  it.each([
    'echo reboot',
    'grep -r shutdown .',
    'git commit -m "rm -rf /"',
    'cat mkfs.md',
    '# rm -rf /',
    "cat > notes <<'EOF'\nrm -rf /\nreboot\nEOF",
    'echo "$(echo "rm -rf /")"',
    'ls /dev/sda',
    "printf '%s\\n' 'rm -rf /'",
    "python3 tool.py --help 'rm -rf /'",
    'man reboot',
    'which mkfs',
    'git log --grep="reboot"',
    "rg 'kill -9 -1' docs",
    'echo ":(){ :|:& };:" > bomb.txt',
    'history | grep "rm -rf /"',
    'cat <<E > f\nrm -rf /\nE',
    'for f in *.md; do wc -l "$f"; done',
    "awk '/reboot/ {print}' log",
    'npm run reboot',
    'make halt',
    './scripts/shutdown.sh',
    "gh pr create --title 'rm -rf / is bad' --body 'x'",
    'echo "日本語、テスト！"',
    'git commit -m "✅ done 👨‍👩‍👧"',
  ])('%j runs', (command) => expect(decide(command).verdict).toBe('allow'));

  it('asks, and denies not, for deleting below', () =>
    expect(decide('rm -rf ./node_modules')).toMatchObject({ verdict: 'ask', tier: 'dangerous' }));
});
