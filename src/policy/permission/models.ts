/**
 * What programs that are often allowed can do beyond their name. A rule such as `terminal(sort:*)` means sorting, not
 * `sort -o f` or `sort --compress-program=sh`: an option that is not listed here is asked for.
 */
import { hole, type Simple } from '../analysis/types.ts';

interface Model {
  /** Short options, as letters; those before `:` take no value, those behind take one. */
  readonly short: string;
  readonly long: readonly string[];
  /** Further words it must not get. */
  readonly refuses?: RegExp;
  /** Its words with a dash are no options: `refuses` alone decides on them. */
  readonly dashed?: boolean;
  /** Only looks: runs in the modes that let reading run. */
  readonly reads: boolean;
}

const reading = (short: string, long: string, refuses?: RegExp): Model => ({
  short,
  long: long.split(' '),
  reads: true,
  ...(refuses === undefined ? {} : { refuses }),
});

const models: Readonly<Record<string, Model>> = {
  ls: reading(
    'aAbBcCdfFgGhHiIklLmnNopqQrRsStTuUvwxXZ1:',
    '--all --almost-all --classify --color --directory --full-time --group-directories-first --human-readable --inode --reverse --recursive --size --sort --time --help --version',
  ),
  cat: reading('AbeEnstTuv:', '--number --show-all --squeeze-blank --show-ends --show-tabs --help --version'),
  echo: reading('neE:', ''),
  grep: reading(
    'abcEFGhHiIlLnoPqrRsTUvVwxyzZ:ABCdDefm',
    '--color --count --extended-regexp --fixed-strings --perl-regexp --ignore-case --invert-match --word-regexp --line-regexp --line-number --files-with-matches --files-without-match --only-matching --quiet --recursive --include --exclude --exclude-dir --context --after-context --before-context --max-count --with-filename --no-filename --help --version',
  ),
  rg: reading(
    'abcFHiIlLnNopPqsSUvwxz0:ABCdEefgMmtT',
    '--color --count --files --files-with-matches --fixed-strings --glob --hidden --ignore-case --invert-match --line-number --no-heading --no-ignore --only-matching --smart-case --sort --type --type-not --word-regexp --context --after-context --before-context --max-count --max-depth --json --stats --vimgrep --multiline --help --version',
  ),
  find: {
    short: 'HLP:',
    long: [],
    reads: true,
    dashed: true,
    refuses:
      /^-(?!(?:name|iname|path|ipath|type|maxdepth|mindepth|size|mtime|mmin|ctime|atime|newer|empty|print|print0|prune|not|o|a|and|or|regex|iregex|perm|user|group|readable|writable|executable|depth|mount|xdev|H|L|P|samefile|links|\d+|true|false)$)/,
  },
  sort: reading(
    'bcCdfghiMmnrRsuVz:kt',
    '--ignore-case --numeric-sort --reverse --unique --key --field-separator --human-numeric-sort --version-sort --stable --check --zero-terminated --help --version',
  ),
  head: reading('qvz:cn', '--bytes --lines --quiet --verbose --help --version'),
  tail: reading('fFqvz:cns', '--bytes --lines --follow --quiet --verbose --help --version'),
  wc: reading('clLmw:', '--bytes --chars --lines --words --max-line-length --help --version'),
  pwd: reading('LP:', '--logical --physical'),
  stat: reading('fLt:c', '--dereference --format --terse --help --version'),
  du: reading('abchHklLmPsSx:dtX', '--all --human-readable --summarize --max-depth --total --exclude --help --version'),
  df: reading('ahHiklPT:tx', '--human-readable --inodes --local --total --help --version'),
  diff: reading(
    'abBcdeEHiNpqrstTuwy:CUIxWF',
    '--brief --unified --recursive --side-by-side --color --ignore-all-space --help --version',
  ),
  cut: reading('nsz:bcdf', '--delimiter --fields --characters --bytes --complement --help --version'),
  tr: reading('cCdst:', '--delete --squeeze-repeats --complement --help --version'),
  awk: { short: ':Fv', long: [], reads: false, refuses: /@\s*(?:load|include)|>|\||\bsystem\b|\bgetline\b/ },
  sed: {
    short: 'nErsuzi:el',
    long: ['--quiet', '--silent', '--expression', '--regexp-extended', '--in-place', '--null-data', '--separate'],
    reads: false,
    refuses: /(?:^|[\s;{}/|#,!$\d])(?:[wWrR](?:\s+\S|[/~])|e\s)/,
  },
  curl: {
    short: 'fgiIkLsSvG46#N:AdeHmuXrwyY',
    long: '--compressed --connect-timeout --data --data-raw --data-urlencode --fail --fail-with-body --get --head --header --include --insecure --json --location --max-time --no-progress-meter --request --retry --retry-delay --show-error --silent --url --user-agent --verbose'.split(
      ' ',
    ),
    reads: false,
    refuses: /^file:|^@/,
  },
  true: reading(':', ''),
  false: reading(':', ''),
  basename: reading('az:s', '--suffix --multiple'),
  dirname: reading('z:', '--zero'),
  uname: reading('asnrvmpio:', '--all --help --version'),
  whoami: reading(':', '--help --version'),
  id: reading('agGnruzZ:', '--user --group --groups --name --help --version'),
};

const gitSubcommands =
  /^(?:add|am|apply|blame|branch|checkout|cherry-pick|clean|clone|commit|describe|diff|fetch|format-patch|grep|init|log|ls-files|ls-remote|ls-tree|merge|merge-base|mv|pull|push|rebase|reflog|remote|reset|restore|rev-list|rev-parse|revert|rm|shortlog|show|show-ref|stash|status|switch|symbolic-ref|tag|version|worktree)$/;
const gitRuns =
  /^(?:-O|-x$|-u$|-o$|-i$|-c$|--(?:open|ext-d|extc|exec|output|textc|uplo|rece|temp|conf|edit|inte|tool|rsh|sepa|local|refe|fil)|ext::|fd::)/;

/** Whether a command keeps to what its program is known for. `true` where there is nothing known about the program. */
export function keepsToModel(command: Simple): boolean {
  if (command.program === 'git') return gitKeeps(command);
  const model = modelOf(command.program);
  return model === null || keeps(command, model);
}

/** Whether it only looks at things. */
export function onlyReads(command: Simple): boolean {
  const model = modelOf(command.program);
  return model !== null && model.reads && keeps(command, model);
}

function modelOf(program: string | null): Model | null {
  return program !== null && Object.hasOwn(models, program) ? (models[program] ?? null) : null;
}

function keeps({ words }: Simple, { short, long, refuses, dashed = false }: Model): boolean {
  const [plain = '', valued = ''] = short.split(':');
  for (const { text, literal, glob } of words.slice(1)) {
    if (!literal || text.includes(hole) || (glob && /^[-*?[]/.test(text))) return false;
    if (refuses?.test(text) === true) return false;
    if (dashed || !text.startsWith('-') || text === '-' || text === '--') continue;
    if (
      text.startsWith('--') ? !long.includes(text.split('=', 1)[0] ?? '') : !clusterKnown(text.slice(1), plain, valued)
    )
      return false;
  }
  return true;
}

function clusterKnown(letters: string, plain: string, valued: string): boolean {
  for (const letter of letters) {
    if (valued.includes(letter) || /\d/.test(letter)) return true;
    if (!plain.includes(letter)) return false;
  }
  return true;
}

/** Nothing before the subcommand, a subcommand of git's own (others may be aliases), no option that runs or writes. */
function gitKeeps({ words }: Simple): boolean {
  const [subcommand, ...args] = words.slice(1);
  if (subcommand?.text === '--version') return args.length === 0;
  if (subcommand === undefined || !gitSubcommands.test(subcommand.text)) return false;
  return args.every(
    ({ text, literal, glob }, at) =>
      literal && !(glob && /^[-*?[]/.test(text)) && (!gitRuns.test(text) || isMessage(args[at - 1]?.text)),
  );
}

const isMessage = (option: string | undefined): boolean =>
  option === '-m' || option === '-am' || option === '--message';
