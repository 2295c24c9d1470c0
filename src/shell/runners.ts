/** Programs that run another one below a verb of their own: `npx NAME`, `uv run NAME`, `git bisect run NAME`, `caisson exec -- NAME`. */
import { afterOptions, endsOfOptions, type OptionForm } from './options.ts';
import { baseName } from './paths.ts';
import { joined, type Unwrapped, type Text } from './unwrapped.ts';
import { isInterpreter, isShell } from './shells.ts';
import type { Word } from './types.ts';
import { wrappers } from './wrappers.ts';

interface Runner {
  /** The verb after which the command follows. A pattern that matches the empty string means that the program needs no verb. */
  readonly verb: RegExp;
  readonly form: OptionForm;
  /** Operands between the verb and the command. */
  readonly operands?: number;
}

const packages: OptionForm = { short: 'pw', long: ['--package', '--workspace', '--prefix'] };

/** What they run is mostly what a project brings; that is as safe as the project. Programs of the system are looked at. */
const runners: Readonly<Record<string, Runner>> = {
  npx: { verb: /^/, form: packages },
  bunx: { verb: /^/, form: packages },
  uvx: { verb: /^/, form: { short: 'p', long: ['--with', '--from', '--python'] } },
  npm: { verb: /^(?:exec|x)$/, form: packages },
  pnpm: { verb: /^(?:exec|dlx)$/, form: packages },
  yarn: { verb: /^(?:exec|dlx)$/, form: packages },
  bun: { verb: /^x$/, form: packages },
  uv: {
    verb: /^run$/,
    form: { short: 'p', long: ['--with', '--python', '--project', '--directory', '--extra', '--group'] },
  },
  poetry: { verb: /^run$/, form: {} },
  pipenv: { verb: /^run$/, form: {} },
  pdm: { verb: /^run$/, form: { short: 'p' } },
  hatch: { verb: /^run$/, form: {} },
  conda: { verb: /^run$/, form: { short: 'np', long: ['--name', '--prefix', '--cwd'] } },
  micromamba: { verb: /^run$/, form: { short: 'np', long: ['--name', '--prefix', '--cwd'] } },
  bundle: { verb: /^exec$/, form: {} },
  opam: { verb: /^exec$/, form: { long: ['--switch'] } },
  mise: { verb: /^(?:exec|x)$/, form: {} },
  direnv: { verb: /^exec$/, form: {}, operands: 1 },
  pipx: { verb: /^run$/, form: { long: ['--spec'] } },
  op: { verb: /^run$/, form: { long: ['--env-file'] } },
  doppler: { verb: /^run$/, form: { short: 'pc' } },
  'aws-vault': { verb: /^exec$/, form: { short: 'd' }, operands: 1 },
  chamber: { verb: /^exec$/, form: {}, operands: 1 },
  perf: { verb: /^(?:stat|record|trace)$/, form: { short: 'eoIrCF' } },
};

const system =
  /^(?:rm|unlink|rimraf|shred|dd|kill(?:all5?)?|pkill|mkfs.*|reboot|halt|poweroff|shutdown|init|telinit|systemctl|wipefs|find|chmod|chown|mv|cp|ln|tee|truncate|curl|wget|git|docker|podman|kubectl|psql|mysql|sqlite3|wrangler|eval|caisson|hermes)$/;

const isSystem = (word: Word | undefined): boolean => {
  const name = baseName(word?.text ?? '').toLowerCase();
  return system.test(name) || isShell(name) || isInterpreter(name) || wrappers.has(name);
};

/** `null`: it runs nothing else that can be seen. `words` starts with the program. */
export function unwrapRunner(program: string, words: readonly Word[]): Unwrapped | null {
  if (program === 'git') return unwrapGit(words);
  if (program === 'tmux' || program === 'screen') return unwrapTerminal(program, words);
  if (isCaisson(program)) return unwrapCaisson(words);
  // However a script is started: what it does is known of this one.
  const script = /^node(?:js)?$/.test(program)
    ? words.findIndex(({ text }, at) => at > 0 && isCaisson(baseName(text)))
    : -1;
  if (script > 0) return { commands: [words.slice(script)] };
  const runner = Object.hasOwn(runners, program) ? runners[program] : undefined;
  return runner === undefined ? null : unwrapPackage(runner, words);
}

export const isCaisson = (program: string): boolean => /^caisson(?:\.[cm]?[jt]s)?$/.test(program);

function unwrapPackage({ verb, form, operands = 0 }: Runner, words: readonly Word[]): Unwrapped | null {
  const verbs = endsOfOptions(words, 1, form).filter((at) => verb.test(words[at]?.text ?? ''));
  const starts = verb.test('') ? [1] : verbs.map((at) => at + 1);
  if (starts.length === 0) return null;
  const text = form === packages ? textAfter(words, /^(?:-c|--call)$/, /^--call=/) : [];
  if (text.length > 0) return { commands: [], texts: text };
  const commands = starts
    .flatMap((start) => endsOfOptions(words, start, form))
    .map((at) => words.slice(at + operands))
    .map((behind) => (behind[0]?.text === '--' ? behind.slice(1) : behind))
    .filter(([first]) => isSystem(first));
  return commands.length === 0 ? null : { commands };
}

/** Texts that git hands to a shell, and commands that it runs. */
function unwrapGit(words: readonly Word[]): Unwrapped | null {
  const at = words.findIndex(
    ({ text }, index) => index > 0 && /^(?:submodule|bisect|rebase|config|filter-branch)$/.test(text),
  );
  const rest = words.slice(at + 1);
  const aliased = texts(
    words.flatMap((word, index) => (words[index - 1]?.text === '-c' ? [word] : [])),
    /^alias\.[^=]+=!/,
  );
  if (at < 0) return aliased.length === 0 ? null : { commands: [], texts: aliased };
  const kind = words[at]?.text;
  const [first] = rest;
  if (kind === 'bisect' && first?.text === 'run') return some([rest.slice(1)], aliased);
  if (kind === 'rebase') return some([], [...aliased, ...textAfter(rest, /^(?:-x|--exec)$/, /^--exec=/)]);
  if (kind === 'config') return some([], [...aliased, ...texts(rest, /^!/)]);
  const each = rest.findIndex(({ text }) => text === 'foreach');
  const run = each < 0 ? [] : rest.slice(afterOptions(rest, each + 1, {}));
  return some([], [...aliased, ...joined(run)]);
}

/** Terminals that live on: what is typed into them is run. */
function unwrapTerminal(program: string, words: readonly Word[]): Unwrapped | null {
  if (program === 'screen') {
    const typed = words.findIndex(({ text }) => text === 'stuff');
    if (typed > 0) return some([], joined(words.slice(typed + 1)));
    const inner = words.slice(afterOptions(words, 1, { short: 'SchprtTe' }));
    return some([inner], []);
  }
  const at = words.findIndex(({ text }) =>
    /^(?:new(?:-session|-window|w)?|split(?:-window|w)|respawn-(?:pane|window)|run(?:-shell)?|if-shell|send(?:-keys)?|pipe-pane|popup|display-popup)$/.test(
      text,
    ),
  );
  if (at < 0) return null;
  return some(
    [],
    joined(
      words
        .slice(afterOptions(words, at + 1, { short: 'scntxyFewhbT' }))
        .filter(({ text }) => !/^(?:Enter|C-m)$/.test(text)),
    ),
  );
}

/** The command of `caisson run`, `exec` and `session run`. It is judged as if it ran here, unless a container is named. */
function unwrapCaisson(words: readonly Word[]): Unwrapped | null {
  const end = words.findIndex(({ text }) => text === '--');
  if (end < 0) return null;
  const inner = words.slice(end + 1);
  const options = words.slice(1, end).map(({ text }) => text);
  const backend =
    options.find((_, at) => options[at - 1] === '--backend') ??
    options.find((text) => text.startsWith('--backend='))?.slice(10);
  const elsewhere =
    backend !== undefined && /^(?:docker|singularity|modal|daytona|kubernetes)$/.test(backend) ? 'container' : false;
  const isSession = options.includes('session');
  if (isSession) return { commands: [], texts: joined(inner), elsewhere };
  return inner.length === 0 ? null : { commands: [inner], elsewhere };
}

const some = (commands: readonly (readonly Word[])[], found: readonly Text[]): Unwrapped | null => {
  const runs = commands.filter((each) => each.length > 0);
  return runs.length + found.length === 0 ? null : { commands: runs, texts: found };
};

const texts = (words: readonly Word[], mark: RegExp): readonly Text[] =>
  words.filter(({ text }) => mark.test(text)).map((word) => ({ text: word.text.replace(mark, ''), word }));

function textAfter(words: readonly Word[], flag: RegExp, glued: RegExp): readonly Text[] {
  return words.flatMap((word, at) => {
    if (flag.test(words[at - 1]?.text ?? '')) return [{ text: word.text, word }];
    return glued.test(word.text) ? [{ text: word.text.replace(glued, ''), word }] : [];
  });
}
