/** CP-27: where a comment begins, and what stands behind options that a reader may not know. */
import { describe, expect, it } from 'vitest';
import { decide, policyWith } from './opened.ts';

describe('a comment begins only where the shell begins one', () => {
  it.each([
    'a=()#;rm -rf /',
    'a=(x)#; rm -rf /',
    'a+=(x)#; rm -rf ~',
    'declare a=(x)#; rm -rf /',
    'export a=(x)#; rm -rf /',
    'readonly a=(x)#; rm -rf /',
    'f() { local a=(x)#; rm -rf /; }; f',
    'x[0]=(1)#; rm -rf /',
    'values=(SAFE)#x; reboot',
    'a=(x)\\\n#; rm -rf /',
    'echo $(x)#;rm -rf /',
    'echo `x`#;rm -rf /',
    'echo a\\\n# b; reboot',
  ])('behind what goes on in the same word it is text: %j', (command) => {
    expect(decide(command)).toMatchObject({ verdict: 'deny', tier: 'hardline' });
  });

  it.each([
    'printf SAFE \\\n# comment; reboot',
    'printf SAFE \\\n\\\n# comment; reboot',
    '(ls)#; reboot',
    'f()# reboot\n{ ls; }',
    'case a in a)# reboot\nls;; esac',
    '((a))#; reboot',
    'ls;# reboot',
    'a=(x) #; reboot',
  ])('anywhere else it is one: %j', (command) => {
    expect(decide(command).verdict).toBe('allow');
  });

  it.each([
    'ls #x\n\\\ntrap "reboot" 0',
    'ls $#\n\\\neval "reboot"',
    'a=1\n\\\n>x reboot',
    'export a=b \\\n\n>x reboot',
  ])('a line of a backslash alone does not join the lines around it: %j', (command) => {
    expect(decide(command).verdict).not.toBe('allow');
  });

  it('an array before it hides nothing from a deny rule in a container', () => {
    const policy = policyWith({ rules: { deny: ['terminal(touch:*)'] } });
    expect(decide('a=(x)#; touch /srv/x', { policy, reach: 'container' }).verdict).toBe('deny');
  });
});

describe('a program behind long options is seen in every reading of them', () => {
  it.each([
    'timeout --k 1 5 reboot',
    'timeout --sig KILL 5 reboot',
    'stdbuf --out L reboot',
    'nice --adj 5 reboot',
    'sudo --u root reboot',
    'env --u FOO --s reboot',
    "env --u FOO --s 'rm -rf /'",
    'env --c /tmp --s reboot',
    'watch --int 1 reboot',
    'systemd-run --on-active 5 reboot',
    'systemd-run --machine .host reboot',
    'strace --trace all reboot',
    'strace --output x reboot',
    'prlimit --nofile 5 reboot',
    'xargs --process-slot-var X reboot',
    'unshare --setgroups deny reboot',
    'flock --any x lock reboot',
    'uv run --env-file .env reboot',
  ])('%s', (command) => {
    const policy = policyWith({ rules: { deny: ['terminal(reboot:*)', 'terminal(rm:*)'] } });
    expect(decide(command, { policy, reach: 'container' }).verdict).toBe('deny');
  });

  it.each(['timeout --foreground 5 ls', 'sudo --preserve-env ls', 'parallel --bar gzip ::: *.log', 'nice --help'])(
    'a known option changes nothing: %s',
    (command) => {
      expect(decide(command).verdict).toBe('allow');
    },
  );

  it.each([
    'timeout --sig KILL 5 git push --force',
    'pip --proxy http://p uninstall -y x',
    'npm --registry http://x uninstall a',
    'git --attr-source HEAD push --force origin main',
    'chmod 644 ~/.ssh/id_ed25519',
    'chmod go+r ~/.ssh/id_rsa',
    'caisson service stop',
    'cmd.exe /c del /f /q C:\\\\x',
    'powershell.exe Remove-Item -Recurse x',
  ])('asked about: %s', (command) => {
    expect(decide(command).verdict).toBe('ask');
  });
});

describe('texts in options', () => {
  it.each([
    "runuser --session-command='rm -rf /' root",
    "runuser --command 'echo safe' -c 'rm -rf /' root",
    "su --session-command 'reboot' root",
    "su --command 'echo safe' --command reboot root",
    "env -S '/bin/sh\\_-c\\_reboot'",
    'env --s="sh\\_-c\\_reboot"',
    "env --s$'\\0'='rm -rf /'",
    "env --s$'\\c@'='sh -c reboot'",
    'env -S "A=\\"b c\\" rm -rf / # x"',
    'fish -C reboot',
    'fish --init-command=reboot',
    'fish --comm reboot',
  ])('refused: %s', (command) => {
    expect(decide(command)).toMatchObject({ verdict: 'deny', tier: 'hardline' });
  });

  it('env takes no word of a comment in its string, and nothing behind \\c', () => {
    expect(decide('env -S "ls # ; rm -rf /"').verdict).toBe('allow');
    expect(decide("env -S 'ls \\c rm -rf /'").verdict).toBe('allow');
  });
});
