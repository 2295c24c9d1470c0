/** Programs that run the program named in their arguments, and how to find it there. */
import { afterOptions, type OptionForm } from './options.ts';
import type { Word } from './types.ts';

const none: OptionForm = {};

/** Of setarch, which may be left out. */
const architecture =
  /^(?:linux(?:32|64)|uname26|x86_64|amd64|i[3-6]86|athlon|ppc\w*|s390x?|sparc\w*|mips\w*|ia64|alpha|parisc\w*|arm\w*|aarch64|riscv\w*|loongarch\w*)$/;

export const wrappers: ReadonlyMap<string, OptionForm> = new Map<string, OptionForm>([
  [
    'sudo',
    {
      short: 'ughpCrtTUDR',
      long: [
        '--user',
        '--group',
        '--host',
        '--prompt',
        '--close-from',
        '--role',
        '--type',
        '--command-timeout',
        '--other-user',
        '--chdir',
        '--chroot',
      ],
      assigns: true,
      queries: ['-l', '-v', '-V', '--list', '--validate', '--version'],
    },
  ],
  ['doas', { short: 'uC', assigns: true }],
  ['pkexec', { long: ['--user'] }],
  ['env', { short: 'uCaS', long: ['--unset', '--chdir', '--argv0'], assigns: true }],
  ['run0', { short: 'ugDp', long: ['--user', '--group', '--chdir', '--unit', '--property', '--setenv', '--slice'] }],
  ['dzdo', { short: 'ugp', assigns: true }],
  ['script', { short: 'EIOTBbmot', operands: 1 }],
  ['nohup', none],
  ['time', { short: 'fo' }],
  ['nice', { short: 'n', long: ['--adjustment'] }],
  ['ionice', { short: 'cntpPu', long: ['--class', '--classdata'] }],
  ['timeout', { short: 'sk', long: ['--signal', '--kill-after'], operands: 1 }],
  ['gtimeout', { short: 'sk', long: ['--signal', '--kill-after'], operands: 1 }],
  ['setsid', none],
  ['stdbuf', { short: 'ioe', long: ['--input', '--output', '--error'] }],
  ['chrt', { short: 'TPD', operands: 1 }],
  ['taskset', { operands: 1 }],
  ['busybox', none],
  ['toybox', none],
  ['command', { queries: ['-v', '-V'] }],
  ['builtin', none],
  ['exec', { short: 'a' }],
  ['coproc', none],
  ['chroot', { long: ['--userspec', '--groups'], operands: 1 }],
  ['unshare', { short: 'SG', long: ['--setuid', '--setgid', '--map-user', '--map-group', '--wd', '--root'] }],
  ['nsenter', { short: 'tSG', long: ['--target', '--setuid', '--setgid'] }],
  ['runuser', { short: 'ugG' }],
  ['setpriv', { long: ['--reuid', '--regid'] }],
  [
    'systemd-run',
    {
      short: 'uptHM',
      long: ['--unit', '--property', '--slice', '--uid', '--gid', '--working-directory', '--description'],
    },
  ],
  ['strace', { short: 'eopsPu' }],
  ['ltrace', { short: 'eopsnu' }],
  ['fakeroot', none],
  ['caffeinate', { short: 'tw' }],
  ['parallel', { short: 'jIaNS', long: ['--jobs', '--colsep'] }],
  [
    'xargs',
    {
      short: 'InPLsdEa',
      long: ['--max-args', '--max-procs', '--max-lines', '--delimiter', '--arg-file', '--replace-str', '--max-chars'],
    },
  ],
  ['noglob', none],
  ['nocorrect', none],
  ['doas-run', none],
  ['gosu', { operands: 1 }],
  ['su-exec', { operands: 1 }],
  ['setuidgid', { operands: 1 }],
  ['faketime', { operands: 1, short: 'p' }],
  ['tini', { short: 'pe' }],
  ['dumb-init', none],
  ['catatonit', none],
  ['xvfb-run', { short: 'ensfp' }],
  ['dbus-run-session', none],
  ['unbuffer', none],
  ['rlwrap', none],
  ['torsocks', none],
  ['torify', none],
  ['proxychains', { short: 'f' }],
  ['proxychains4', { short: 'f' }],
  ['prlimit', { short: 'p' }],
  [
    'numactl',
    { short: 'iNmCpP', long: ['--interleave', '--cpunodebind', '--membind', '--physcpubind', '--preferred'] },
  ],
  ['firejail', none],
  ['valgrind', none],
  ['ssh-agent', { short: 'aEOPt' }],
  ['cgexec', { short: 'g' }],
  ['chronic', none],
  ['eatmydata', none],
  ['cross-env', { assigns: true }],
  ['sshpass', { short: 'pfdeP' }],
  ['dotenv', { short: 'efv' }],
  ['entr', none],
  ['watchexec', { short: 'ewids', long: ['--exts', '--watch', '--ignore', '--signal', '--debounce'] }],
  ['catchsegv', none],
  ['nocache', none],
  ['linux32', none],
  ['linux64', none],
  ['setarch', { optional: architecture }],
  ['cpulimit', { short: 'lpePm' }],
  ['fakechroot', none],
  ['choom', { short: 'n', long: ['--adjust'] }],
  ['systemd-inhibit', { long: ['--what', '--who', '--why', '--mode'] }],
  ['systemd-cat', { short: 'tp', long: ['--identifier', '--priority', '--stderr-priority'] }],
  ['dbus-launch', none],
  ['heaptrack', { short: 'o' }],
  ['with-contenv', none],
  ['ifne', none],
  ['zrun', none],
  ['tsocks', none],
  ['nq', none],
  ['tsp', { short: 'LNDW' }],
  ['multitime', { short: 'n' }],
  ['s6-setuidgid', { operands: 1 }],
  ['envdir', { operands: 1 }],
  ['envuidgid', { operands: 1 }],
  ['setlock', { operands: 1 }],
  ['pgrphack', none],
  ['chpst', { short: 'uUbeCnmdofpcr/' }],
  ['softlimit', { short: 'adflmnoprstc' }],
  ['cross-env-shell', { assigns: true }],
  ['sem', { short: 'j' }],
]);

export interface Inner {
  readonly words: readonly Word[];
  readonly assignments: readonly Word[];
}

/** For `env`, whatever holds one is an assignment: `a-b=c`. */
const assignment = /^[^=]+=/;

/** `null`: it runs nothing here. `words` starts with the wrapper itself. */
export function innerOf(words: readonly Word[], form: OptionForm): Inner | null {
  let at = afterOptions(words, 1, form);
  if (words.slice(1, at).some(({ text }) => form.queries?.includes(text) === true)) return null;
  const from = at;
  // `env -` is `env -i`.
  if (form.assigns === true && words[at]?.text === '-') at += 1;
  while (form.assigns === true && assignment.test(words[at]?.text ?? '')) at += 1;
  const assignments = words.slice(from, at);
  if (form.optional?.test(words[at]?.text ?? '') === true) at = afterOptions(words, at + 1, form);
  at += form.operands ?? 0;
  return at < words.length ? { words: words.slice(at), assignments } : null;
}

/** The dynamic loader runs what it is given. */
export function isLoader(program: string): boolean {
  return /^ld(?:-linux|-musl|\.so)/.test(program);
}
