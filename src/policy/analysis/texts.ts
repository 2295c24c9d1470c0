/** Programs that give text to a shell, or to a program that reads it as one. */
import { awkCalls } from './calls.ts';
import { afterOptions } from './options.ts';
import { joined, type Peeled } from './peeled.ts';
import type { Word } from './types.ts';

type Reading = (words: readonly Word[]) => Peeled | null;

/** What the words of such a program say to it. `null`: nothing, or it is none. */
export function peelText(program: string, words: readonly Word[]): Peeled | null {
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
  complete: (words) => optionText(words, /^-C$/, /^-C(?=.)/),
  compgen: (words) => optionText(words, /^-[CW]$/, /^-[CW](?=.)/),
  // `coproc NAME { ...; }` is cut at its first separator by the grammar; what follows it is a command of its own.
  coproc: (words) => {
    const open = words.findIndex(({ text }, at) => at > 0 && at < 3 && text === '{');
    return open < 0 || open === words.length - 1 ? null : { commands: [words.slice(open + 1)] };
  },
  su: (words) => optionText(words, /^(?:-[lmpP]*c|--command)$/, /^--command=/),
  sg: (words) => ({
    commands: [],
    texts: words
      .slice(words.findIndex(({ text }) => text === '-c') > 0 ? 3 : 2)
      .slice(0, 1)
      .map((word) => ({ text: word.text, word })),
  }),
  ansible: (words) => optionText(words, /^-a$/, /^--args=/),
  vagrant: (words) => (words[1]?.text === 'ssh' ? optionText(words, /^(?:-c|--command)$/, /^--command=/) : null),
  nodemon: (words) => optionText(words, /^(?:-x|--exec)$/, /^--exec=/),
  'nix-shell': (words) => optionText(words, /^--(?:run|command)$/, /^$(?=.)/),
  concurrently: eachText,
  hyperfine: eachText,
  runuser: (words) => optionText(words, /^(?:-[lmpP]*c|--command)$/, /^--command=/),
  script: (words) => optionText(words, /^-[aefq]*c$/, /^--command=/),
  flock: (words) => {
    const text = optionText(words, /^(?:-c|--command)$/, /^--command=/);
    const at = afterOptions(words, 1, { short: 'wEF', long: ['--timeout', '--wait', '--conflict-exit-code'] });
    const behind = words.slice(at + 1);
    return text ?? (behind.length === 0 ? null : { commands: [behind] });
  },
  watch: (words) => {
    const inner = words.slice(afterOptions(words, 1, { short: 'n', long: ['--interval'] }));
    return inner.length === 0 ? null : { commands: [], texts: joined(inner) };
  },
  ssh: (words) => {
    const host = afterOptions(words, 1, { short: 'BbcDEeFIiJLlmOopQRSWw' });
    const inner = words.slice(afterOptions(words, host + 1, { short: 'BbcDEeFIiJLlmOopQRSWw' }));
    const proxies = textsOf(words, /^(?:-o)?(?:ProxyCommand|LocalCommand|KnownHostsCommand)(?:=|\s+)/i)?.texts ?? [];
    return inner.length + proxies.length === 0 ? null : { commands: [], texts: [...proxies, ...joined(inner)] };
  },
  awk: awkTexts,
  gawk: awkTexts,
  mawk: awkTexts,
  nawk: awkTexts,
  vim: editorTexts,
  vi: editorTexts,
  nvim: editorTexts,
  ex: editorTexts,
  sed: (words) => textsOf(words, /^(?:\d+|\$|\/[^/]*\/)?\s*e\s+(?=\S)/),
  tar: (words) => textsOf(words, /^--checkpoint-act\w*=exec=|^--to-com\w*=|^exec=/),
  cmd: (words) => {
    const at = words.findIndex(({ text }) => /^\/[ck]$/i.test(text));
    return at < 0 ? null : { commands: [], texts: joined(words.slice(at + 1)) };
  },
};

/** `mapfile -C TEXT`, alone or behind options without a value. */
function callback(words: readonly Word[]): Peeled | null {
  return optionText(words, /^-t*C$/, /^-t*C(?=.)/);
}

function awkTexts(words: readonly Word[]): Peeled | null {
  const found = words.slice(1).flatMap((word) => awkCalls(word.text).map((text) => ({ text, word })));
  return found.length === 0 ? null : { commands: [], texts: found };
}

/** Each operand is a command. */
function eachText(words: readonly Word[]): Peeled | null {
  const found = words.slice(1).filter(({ text }) => !text.startsWith('-'));
  return found.length === 0 ? null : { commands: [], texts: found.map((word) => ({ text: word.text, word })) };
}

/** `-c ':!make'`, `+'!make'` */
function editorTexts(words: readonly Word[]): Peeled | null {
  return textsOf(words, /^\+?:?!/);
}

/** Words that say behind a mark what a shell gets. */
function textsOf(words: readonly Word[], mark: RegExp): Peeled | null {
  const found = words
    .slice(1)
    .flatMap((word) => (mark.test(word.text) ? [{ text: word.text.replace(mark, ''), word }] : []));
  return found.length === 0 ? null : { commands: [], texts: found };
}

function optionText(words: readonly Word[], flag: RegExp, glued: RegExp): Peeled | null {
  const at = words.findIndex(({ text }, index) => index > 0 && (flag.test(text) || glued.test(text)));
  const word = words[at];
  if (word === undefined) return null;
  if (glued.test(word.text)) return { commands: [], texts: [{ text: word.text.replace(glued, ''), word }] };
  const next = words[at + 1];
  return next === undefined ? null : { commands: [], texts: [{ text: next.text, word: next }] };
}
