/** What the shell itself is made to load or to run later, and programs read from where nobody has looked. */
import { sourceOf } from '../analysis/programs.ts';
import { isInput } from '../analysis/shells.ts';
import { hole, type Analysis, type Simple } from '../analysis/types.ts';
import { readsInput } from './dangerous-run.ts';
import { argsOf, type Rule } from './rule.ts';

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
    id: 'D15o', description: 'output written to a shell that runs it', programs: ['*'],
    test: writesToShell,
    yes: ['x | tee >(sh)', 'x > >(bash)'],
    no: ['x > >(tee log)', 'x | tee >(sh y.sh)'],
  },
  {
    id: 'D27n', description: 'other meaning of names, or of what is run at each prompt', programs: ['*'],
    test: ({ assignments }) => assignments.some(({ name, value }) => tables.test(name) || (name === 'PROMPT_COMMAND' && value.includes(hole))),
    yes: ['BASH_CMDS[ls]=/bin/rm; ls', 'PROMPT_COMMAND+=x', 'declare -A BASH_ALIASES=([ls]=x)'],
    no: ['PROMPT_COMMAND=', 'm[ls]=x', "PROMPT_COMMAND='history -a'"],
  },
];
