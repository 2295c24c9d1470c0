/** Programs that give text to a shell, or to a program that reads it as one. */
import { awkCalls, clientCalls, editorCalls } from './calls.ts';
import { afterOptions, endsOfOptions, type OptionForm } from './options.ts';
import { away, joined, optionText, type Unwrapped } from './unwrapped.ts';
import { asUser } from './users.ts';
import { machineOf, sshHost, sshOptions } from './machines.ts';
import { sedCallsOf } from './sed.ts';
import type { Word } from './types.ts';
import { innersOf, wrappers } from './wrappers.ts';

const lock: OptionForm = {
  short: 'wE',
  long: ['--timeout', '--wait', '--conflict-exit-code'],
  flags: ['--shared', '--exclusive', '--unlock', '--nonblock', '--nb', '--close', '--no-fork', '--verbose', '--fcntl'],
};

const watched: OptionForm = {
  short: 'nqs',
  long: ['--interval', '--equexit', '--shotsdir'],
  flags: [
    '--beep',
    '--color',
    '--no-color',
    '--differences',
    '--errexit',
    '--chgexit',
    '--precise',
    '--no-rerun',
    '--no-title',
    '--no-wrap',
    '--exec',
    '--follow',
  ],
};

type Reading = (words: readonly Word[]) => Unwrapped | null;

/** What the words of such a program say to it. `null`: nothing, or it is no such program. */
export function unwrapText(program: string, words: readonly Word[]): Unwrapped | null {
  return Object.hasOwn(texts, program) ? (texts[program]?.(words) ?? null) : null;
}

const texts: Readonly<Record<string, Reading>> = {
  eval: (words) => ({ commands: [], texts: joined(words.slice(words[1]?.text === '--' ? 2 : 1)) }),
  trap: (words) =>
    words[1] === undefined || /^-[lp]$/.test(words[1].text) || words.length < 3
      ? null
      : { commands: [], texts: joined([words[words[1].text === '--' ? 2 : 1] ?? words[1]]) },
  alias: (words) => {
    const named = words.slice(1).filter(({ text }) => text.includes('='));
    return named.length === 0
      ? null
      : { commands: [], texts: named.map((word) => ({ text: word.text.slice(word.text.indexOf('=') + 1), word })) };
  },
  mapfile: callback,
  readarray: callback,
  complete: (words) => optionText(words, /^-[a-z]*C$/, /^-[a-z]*C(?=.)/),
  compgen: (words) => optionText(words, /^-[a-z]*[CW]$/, /^-[a-z]*[CW](?=.)/),
  // `coproc NAME { ...; }` is cut at its first separator by the grammar; what follows it is a command of its own.
  coproc: (words) => {
    const open = words.findIndex(({ text }, at) => at > 0 && at < 3 && text === '{');
    return open < 0 || open === words.length - 1 ? null : { commands: [words.slice(open + 1)] };
  },
  su: asUser,
  sg: (words) => ({
    commands: [],
    texts: words
      .slice(words.findIndex(({ text }) => text === '-c') > 0 ? 3 : 2)
      .slice(0, 1)
      .map((word) => ({ text: word.text, word })),
  }),
  ansible: (words) => away(machineOf(words[1]?.text), optionText(words, /^-a$/, /^--args=/)),
  vagrant: (words) =>
    words[1]?.text === 'ssh' ? away('machine', optionText(words, /^(?:-c|--command)$/, /^--command=/)) : null,
  nodemon: (words) => optionText(words, /^(?:-x|--exec)$/, /^--exec=/),
  'nix-shell': (words) => optionText(words, /^--(?:run|command)$/, /^$(?=.)/),
  bind: keyTexts,
  split: (words) => optionText(words, /^--fil\w*$/, /^--fil\w*=/),
  nc: listening,
  ncat: listening,
  netcat: listening,
  socat: (words) => found(words, ({ text }) => Array.from(text.matchAll(addresses), ([, program = '']) => program)),
  xterm: terminal,
  urxvt: terminal,
  konsole: terminal,
  alacritty: terminal,
  'x-terminal-emulator': terminal,
  'gnome-terminal': terminal,
  'start-stop-daemon': (words) => {
    const program = optionText(words, startsProgram, startsGlued)?.texts?.[0];
    const end = words.findIndex(({ text }) => text === '--');
    return program === undefined
      ? null
      : {
          commands: [],
          texts: joined([{ ...program.word, text: program.text }, ...(end < 0 ? [] : words.slice(end + 1))]),
        };
  },
  psql: clientTexts,
  mysql: clientTexts,
  mariadb: clientTexts,
  sqlite3: clientTexts,
  duckdb: clientTexts,
  lftp: clientTexts,
  gdb: clientTexts,
  lldb: clientTexts,
  mongosh: clientTexts,
  mongo: clientTexts,
  gnuplot: clientTexts,
  dc: clientTexts,
  rake: clientTexts,
  latexmk: clientTexts,
  exiftool: clientTexts,
  'octave-cli': clientTexts,
  emacsclient: clientTexts,
  bpftrace: clientTexts,
  mix: clientTexts,
  jrunscript: clientTexts,
  crystal: clientTexts,
  cargo: (words) => (words[1]?.text === 'watch' ? optionText(words, /^(?:-s|--shell)$/, /^--shell=/) : null),
  gh: aliasText,
  glab: aliasText,
  concurrently: eachText,
  hyperfine: eachText,
  runuser: asUser,
  script: (words) => optionText(words, /^(?:-[aefq]*c|--com\w*)$/, /^(?:--com\w*=|-[aefq]*c(?=.))/),
  flock: (words) => {
    const text = optionText(words, /^(?:-c|--command)$/, /^--command=/);
    const behind = endsOfOptions(words, 1, lock).map((at) => words.slice(at + 1));
    const commands = behind.filter((each) => each.length > 0);
    return text ?? (commands.length === 0 ? null : { commands });
  },
  watch: (words) => {
    const inner = endsOfOptions(words, 1, watched).flatMap((at) => joined(words.slice(at)));
    return inner.length === 0 ? null : { commands: [], texts: inner };
  },
  ssh: (words) => {
    const host = afterOptions(words, 1, sshOptions);
    const inner = joined(words.slice(afterOptions(words, host + 1, sshOptions)));
    const elsewhere = machineOf(sshHost(words)?.text);
    const proxies = textsOf(words, /^(?:-o)?(?:ProxyCommand|LocalCommand|KnownHostsCommand)(?:=|\s+)/i)?.texts ?? [];
    return inner.length + proxies.length === 0
      ? null
      : { commands: [], texts: [...proxies, ...inner.map((text) => ({ ...text, elsewhere }))] };
  },
  strace: tracerTexts,
  gcc: compilerTexts,
  'g++': compilerTexts,
  cc: compilerTexts,
  'c++': compilerTexts,
  sftp: (words) => optionText(words, /^-[DS]$/, /^-[DS](?=.)/),
  make: makeTexts,
  gmake: makeTexts,
  awk: awkTexts,
  gawk: awkTexts,
  mawk: awkTexts,
  nawk: awkTexts,
  vim: editorTexts,
  vi: editorTexts,
  nvim: editorTexts,
  view: editorTexts,
  gvim: editorTexts,
  vimdiff: editorTexts,
  rvim: editorTexts,
  ex: editorTexts,
  sed: sedTexts,
  gsed: sedTexts,
  tar: (words) => textsOf(words, /^--checkpoint-act\w*=exec=|^--to-com\w*=|^exec=/),
  cmd: (words) => {
    const at = words.findIndex(({ text }) => /^\/[ck]$/i.test(text));
    return at < 0 ? null : { commands: [], texts: joined(words.slice(at + 1)) };
  },
};

/** The program of start-stop-daemon, also behind other letters: `-Sbx`. */
const startsProgram = /^(?:-[SKTHVbBCmoqtv]*[xa]|--(?:e|starta)\w*)$/;
const startsGlued = /^(?:-[SKTHVbBCmoqtv]*[xa](?=.)|--(?:e|starta)\w*=)/;

/** `gcc -wrapper PROGRAM,ARGUMENT`: what runs each part of the compiler. */
function compilerTexts(words: readonly Word[]): Unwrapped | null {
  const value = words.find((_, at) => words[at - 1]?.text === '-wrapper');
  return value === undefined ? null : { commands: [value.text.split(',').map((text) => ({ ...value, text }))] };
}

/** `mapfile -C TEXT`, alone or behind options without a value. */
function callback(words: readonly Word[]): Unwrapped | null {
  return optionText(words, /^-t*C$/, /^-t*C(?=.)/);
}

function awkTexts(words: readonly Word[]): Unwrapped | null {
  return found(words, ({ text }) => awkCalls(text));
}

/** What is read out of each argument. */
function found(words: readonly Word[], read: (word: Word) => readonly string[]): Unwrapped | null {
  const texts = words.slice(1).flatMap((word) => read(word).map((text) => ({ text, word })));
  return texts.length === 0 ? null : { commands: [], texts };
}

function sedTexts(words: readonly Word[]): Unwrapped | null {
  const [word] = words;
  const found = sedCallsOf(words.slice(1).map(({ text }) => text)).filter((text) => text !== '');
  return word === undefined || found.length === 0
    ? null
    : { commands: [], texts: found.map((text) => ({ text, word })) };
}

/** Each operand is a command. */
function eachText(words: readonly Word[]): Unwrapped | null {
  return found(words, ({ text }) => (text.startsWith('-') ? [] : [text]));
}

/** `-c ':!make'`, `+'!make'`, `-c 'lua os.execute("make")'` */
function editorTexts(words: readonly Word[]): Unwrapped | null {
  return found(words, ({ text }) => editorCalls(text.replace(/^\+/, '').replace(/^:?(?:silent!?|r|w|%) ?(?=!)/, '')));
}

/** The commands in the options of a client. */
function clientTexts(words: readonly Word[]): Unwrapped | null {
  return found(words, ({ text }) => clientCalls(text));
}

/** `bind -x '"\C-x": make'` */
function keyTexts(words: readonly Word[]): Unwrapped | null {
  const said = optionText(words, /^-[a-z]*x$/, /^-x(?=.)/)?.texts?.[0];
  if (said === undefined) return null;
  const text = said.text.replace(/^\s*(?:"(?:\\[^]|[^"\\])*"|[^:\s]+)\s*:\s*/, '').replace(/^(["'])([^]*)\1$/, '$2');
  return { commands: [], texts: [{ ...said, text }] };
}

/** `nc -e PROGRAM`, `ncat --sh-exec TEXT`; the `-c` of others takes no value. */
function listening(words: readonly Word[]): Unwrapped | null {
  return optionText(words, /^(?:-[a-z]*[ec]|--(?:sh-)?exec)$/, /^--(?:sh-)?exec=/);
}

/** `EXEC:PROGRAM,pty` of socat. */
const addresses = /\b(?:exec|system|shell):["']?((?:\\[^]|[^\\,"'])+)/gi;

/** `xterm -e make`, `gnome-terminal -- make` */
function terminal(words: readonly Word[]): Unwrapped | null {
  const at = words.findIndex(({ text }) => /^(?:-e|-x|--command|--)$/.test(text));
  const behind = at < 0 ? [] : words.slice(at + 1);
  return behind.length > 1
    ? { commands: [behind] }
    : behind.length === 0
      ? null
      : { commands: [], texts: joined(behind) };
}

/** `gh alias set x '!make'` */
function aliasText(words: readonly Word[]): Unwrapped | null {
  if (words[1]?.text !== 'alias') return null;
  const isShell = words.some(({ text }) => text === '--shell' || text === '-s');
  return textsOf(isShell ? words.slice(-2) : words, isShell ? /^/ : /^!/);
}

/** `strace -o '|sort' make`: what it traces, and what reads its output. */
function tracerTexts(words: readonly Word[]): Unwrapped | null {
  const inners = innersOf(words, wrappers.get('strace') ?? {});
  const piped = (optionText(words, /^(?:-[a-zA-Z]*o|--output)$/, /^(?:-o|--output=)(?=[|!])/)?.texts ?? []).filter(
    ({ text }) => /^[|!]/.test(text),
  );
  if (inners.length === 0 && piped.length === 0) return null;
  return {
    commands: inners.map((inner) => inner.words),
    texts: piped.map((text) => ({ ...text, text: text.text.slice(1) })),
  };
}

/** Variables whose value make has a shell run as it reads them: `X!=date`, `X:=$(shell date)`. */
function makeTexts(words: readonly Word[]): Unwrapped | null {
  return found(words, ({ text }) => {
    const [, sign = '', value = ''] = /^[\w.-]+\s*(!|[:?+]{0,3})=([^]*)$/.exec(text) ?? [];
    return sign === '!'
      ? [value]
      : Array.from(value.matchAll(/\$[({]shell\s+((?:[^(){}]|\([^()]*\))*)/g), ([, run = '']) => run);
  });
}

/** Words that say behind a mark what a shell gets. */
function textsOf(words: readonly Word[], mark: RegExp): Unwrapped | null {
  return found(words, ({ text }) => (mark.test(text) ? [text.replace(mark, '')] : []));
}
