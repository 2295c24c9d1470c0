/** Programs that run the program named in their arguments, and how to find it there. */
import { afterOptions, endsOfOptions, type OptionForm } from './options.ts';
import type { Word } from './types.ts';

const none: OptionForm = {};

/** Architecture for setarch: an operand that may be left out. */
const architecture =
  /^(?:linux(?:32|64)|uname26|x86_64|amd64|i[3-6]86|athlon|ppc\w*|s390x?|sparc\w*|mips\w*|ia64|alpha|parisc\w*|arm\w*|aarch64|riscv\w*|loongarch\w*)$/;

/** `names`: without their dashes. */
const options = (names: string): readonly string[] => names.split(' ').map((name) => `--${name}`);

const about = options('help version');

const timeout: OptionForm = {
  short: 'sk',
  long: options('signal kill-after'),
  flags: [...about, ...options('preserve-status foreground verbose')],
  operands: 1,
};

const parallel: OptionForm = {
  short: 'jIaNS',
  long: options(
    'jobs colsep joblog timeout retries delay load memfree results arg-file arg-sep sshlogin sshloginfile basefile nice max-args max-procs max-replace-args workdir env tmpdir tempdir header block recstart recend delimiter halt halt-on-error tagstring profile limit shellquote',
  ),
  flags: [
    ...about,
    ...options(
      'bar dry-run dryrun eta progress keep-order line-buffer linebuffer group ungroup tag no-notice will-cite verbose null pipe pipepart xargs shuf link silent quote no-run-if-empty plus resume resume-failed citation bibtex cat fifo round-robin interactive semaphore nonall onall controlmaster bg fg wait',
    ),
  ],
};

export const wrappers: ReadonlyMap<string, OptionForm> = new Map<string, OptionForm>([
  [
    'sudo',
    {
      short: 'ughpCrtTUDR',
      long: options('user group host prompt close-from role type command-timeout other-user chdir chroot'),
      flags: options(
        'askpass background bell edit set-home help login remove-timestamp reset-timestamp no-update non-interactive preserve-groups preserve-env stdin shell list validate version',
      ),
      assigns: true,
      queries: ['-l', '-v', '-V', '--list', '--validate', '--version'],
    },
  ],
  ['doas', { short: 'uC', assigns: true }],
  ['pkexec', { long: options('user'), flags: options('disable-internal-agent keep-cwd help version') }],
  [
    'env',
    {
      short: 'uCaS',
      long: options('unset chdir argv0'),
      flags: [
        ...about,
        ...options(
          'ignore-environment null debug verbose list-signal-handling default-signal ignore-signal block-signal',
        ),
      ],
      assigns: true,
    },
  ],
  [
    'run0',
    {
      short: 'ugDp',
      long: options('user group chdir unit property setenv slice description machine nice background'),
      flags: options('no-ask-password slice-inherit pty pipe shell-prompt-prefix help version'),
    },
  ],
  ['dzdo', { short: 'ugp', assigns: true }],
  ['script', { short: 'EIOTBbmot', operands: 1 }],
  ['nohup', { flags: about }],
  [
    'time',
    { short: 'fo', long: options('format output'), flags: [...about, ...options('portability verbose append quiet')] },
  ],
  ['nice', { short: 'n', long: options('adjustment'), flags: about }],
  [
    'ionice',
    {
      short: 'cntpPu',
      long: options('class classdata pid pgid uid'),
      flags: [...about, ...options('ignore')],
    },
  ],
  ['timeout', timeout],
  ['gtimeout', timeout],
  ['setsid', { flags: [...about, ...options('ctty fork wait')] }],
  ['stdbuf', { short: 'ioe', long: options('input output error'), flags: about }],
  [
    'chrt',
    {
      short: 'TPD',
      long: options('sched-runtime sched-period sched-deadline'),
      flags: [...about, ...options('batch deadline fifo idle other rr reset-on-fork all-tasks max pid verbose')],
      operands: 1,
    },
  ],
  ['taskset', { flags: [...about, ...options('all-tasks pid cpu-list')], operands: 1 }],
  ['busybox', none],
  ['toybox', none],
  ['command', { queries: ['-v', '-V'] }],
  ['builtin', none],
  ['exec', { short: 'a' }],
  ['coproc', none],
  ['chroot', { long: options('userspec groups'), flags: [...about, ...options('skip-chdir')], operands: 1 }],
  [
    'unshare',
    {
      short: 'SG',
      long: options(
        'setuid setgid map-user map-group map-users map-groups wd root propagation setgroups monotonic boottime',
      ),
      flags: [
        ...about,
        ...options(
          'mount uts ipc net pid user cgroup time fork mount-proc map-root-user map-current-user map-auto keep-caps kill-child',
        ),
      ],
    },
  ],
  [
    'nsenter',
    {
      short: 'tSG',
      long: options('target setuid setgid'),
      flags: [
        ...about,
        ...options(
          'all mount uts ipc net pid user cgroup time root wd wdns no-fork preserve-credentials follow-context keep-caps env',
        ),
      ],
    },
  ],
  ['runuser', { short: 'ugG', long: options('user group supp-group shell whitelist-environment'), flags: about }],
  [
    'setpriv',
    {
      long: options(
        'ambient-caps inh-caps bounding-set securebits groups selinux-label apparmor-profile pdeathsig reuid regid ruid euid rgid egid ptracer landlock-access landlock-rule seccomp-filter',
      ),
      flags: [...about, ...options('clear-groups keep-groups init-groups no-new-privs nnp reset-env dump list-caps')],
    },
  ],
  [
    'systemd-run',
    {
      short: 'uptHM',
      long: options(
        'unit property description slice uid gid nice working-directory setenv service-type on-active on-boot on-startup on-unit-active on-unit-inactive on-calendar path-property socket-property timer-property machine host background job-mode root-directory json',
      ),
      flags: [
        ...about,
        ...options(
          'user system scope slice-inherit remain-after-exit send-sighup no-ask-password no-block wait pty pipe quiet same-dir shell collect ignore-failure on-clock-change on-timezone-change',
        ),
      ],
    },
  ],
  [
    'strace',
    {
      short: 'eopsPuIObSUaEXx',
      long: options(
        'output trace signal status attach env user string-limit columns detach-on interruptible summary-sort-by summary-columns trace-path abbrev verbose raw read write inject fault kvm quiet strings-in-hex const-print-style',
      ),
      flags: [
        ...about,
        ...options(
          'follow-forks output-separately instruction-pointer syscall-number stack-trace relative-timestamps absolute-timestamps syscall-times no-abbrev summary summary-only successful-only failed-only decode-fds decode-pids debug output-append-mode seccomp-bpf',
        ),
      ],
    },
  ],
  ['ltrace', { short: 'eopsnu' }],
  ['fakeroot', none],
  ['caffeinate', { short: 'tw' }],
  ['parallel', parallel],
  [
    'xargs',
    {
      short: 'InPLsdEa',
      long: options('max-args max-procs delimiter arg-file replace-str max-chars process-slot-var'),
      flags: [
        ...about,
        ...options('null interactive no-run-if-empty open-tty verbose exit show-limits replace eof max-lines'),
      ],
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
  ['prlimit', { short: 'po', long: options('pid output'), flags: [...about, ...options('noheadings raw verbose')] }],
  ['numactl', { short: 'iNmCpP', long: options('interleave cpunodebind membind physcpubind preferred') }],
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
  ['watchexec', { short: 'ewids', long: options('exts watch ignore signal debounce') }],
  ['catchsegv', none],
  ['nocache', none],
  ['linux32', none],
  ['linux64', none],
  ['i386', none],
  ['x86_64', none],
  ['setarch', { optional: architecture }],
  ['cpulimit', { short: 'lpePm' }],
  ['fakechroot', none],
  ['choom', { short: 'n', long: options('adjust') }],
  ['systemd-inhibit', { long: options('what who why mode') }],
  ['systemd-cat', { short: 'tp', long: options('identifier priority stderr-priority') }],
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

/** What it runs, once for each reading of its options; empty where it runs nothing. `words` starts with the wrapper itself. */
export function innersOf(words: readonly Word[], form: OptionForm): readonly Inner[] {
  const inners = new Map<number, Inner>();
  for (const end of endsOfOptions(words, 1, form)) {
    if (words.slice(1, end).some(({ text }) => form.queries?.includes(text) === true)) continue;
    const inner = behind(words, end, form);
    if (inner !== null) inners.set(inner.words.length, inner);
  }
  return [...inners.values()];
}

/** `from`: behind the options. */
function behind(words: readonly Word[], from: number, form: OptionForm): Inner | null {
  let at = from;
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
