/** What a command runs in turn: commands named by its words, and texts for a shell. */
import { awkCalls, callsIn } from './calls.ts';
import { afterOptions } from './options.ts';
import { programOf } from './names.ts';
import { joined, type Peeled } from './peeled.ts';
import { peelRunner } from './runners.ts';
import { inlineFlag, isInterpreter, isShell, shellCall } from './shells.ts';
import { hole, type Word } from './types.ts';
import { innerOf, isLoader, wrappers } from './wrappers.ts';

/** `null`: it runs nothing else that can be seen. `words` starts with the program. */
export function peel(program: string, words: readonly Word[]): Peeled | null {
  if (program === 'env') return peelEnv(words);
  if (program === 'xargs' || program === 'parallel') return peelXargs(words, program);
  if (program === 'find' || program === 'gfind' || program === 'bfs' || program === 'fd' || program === 'fdfind')
    return peelFind(words);
  if (isShell(program)) return peelShell(words);
  if (isInterpreter(program)) return peelCode(program, words) ?? peelRunner(program, words);
  const special = Object.hasOwn(texts, program) ? texts[program] : undefined;
  const own = special?.(words) ?? null;
  if (own !== null) return own;
  const run = peelRunner(program, words);
  if (run !== null) return run;
  if (program === 'exec' && words.length === 1) return null;
  const form = isLoader(program) ? {} : wrappers.get(program);
  const inner = form === undefined ? null : innerOf(words, form);
  return inner === null ? null : { commands: [inner.words], assignments: inner.assignments };
}

const mostLayers = 16;

/** Names of the programs that stand at the end of its wrappers. */
export function runBy(words: readonly Word[]): readonly string[] {
  let layer: readonly (readonly Word[])[] = peel(programOf(words[0]) ?? '', words)?.commands ?? [];
  const names: string[] = [];
  for (let deep = 0; deep < mostLayers && layer.length > 0; deep += 1) {
    names.push(...layer.flatMap(([first]) => programOf(first) ?? []));
    layer = layer.flatMap((inner) =>
      isTransparent(programOf(inner[0])) ? (peel(programOf(inner[0]) ?? '', inner)?.commands ?? []) : [],
    );
  }
  return names;
}

const isTransparent = (program: string | null): boolean => program !== null && wrappers.has(program);

function peelShell(words: readonly Word[]): Peeled | null {
  const call = shellCall(words.slice(1));
  return call.kind === 'text'
    ? { commands: [], texts: [{ text: call.text.text, positional: call.positional, word: call.text }] }
    : null;
}

/** What inline code of an interpreter runs. PowerShell's is near enough to shell text. */
function peelCode(program: string, words: readonly Word[]): Peeled | null {
  const flag = inlineFlag(program, words.slice(1));
  if (flag === null) return null;
  const behind = words.slice(words.indexOf(flag));
  if (/^(?:powershell|pwsh)$/.test(program))
    return /^[-/]c/i.test(flag.text) ? { commands: [], texts: joined(behind.slice(1)) } : null;
  const found = behind.slice(0, 3).flatMap((word) => callsIn(word.text).map((text) => ({ text, word })));
  return found.length === 0 ? null : { commands: [], texts: found };
}

function peelEnv(words: readonly Word[]): Peeled | null {
  const split = words.findIndex(({ text }, at) => at > 0 && /^(?:-[iv0]*S|--split-string)/.test(text));
  const word = words[split];
  if (word === undefined || split >= afterOptions(words, 1, wrappers.get('env') ?? {})) {
    const inner = innerOf(words, wrappers.get('env') ?? {});
    return inner === null ? null : { commands: [inner.words], assignments: inner.assignments };
  }
  const glued = word.text.replace(/^(?:-[iv0]*S|--split-string=?)/, '');
  const rest = words.slice(split + 1).map(({ text }) => text);
  const all = glued === '' ? rest : [glued, ...rest];
  // The first of these is split at blanks by env itself; for finding out what runs, a shell reads it the same way.
  const [head = '', ...tail] = all;
  return { commands: [], texts: [{ text: `env ${[head, ...tail.map(quote)].join(' ')}`, word }] };
}

function peelXargs(words: readonly Word[], program: string): Peeled | null {
  const inner = innerOf(words, wrappers.get(program) ?? {});
  if (inner === null) return null;
  const marker = markerOf(words.slice(1, words.length - inner.words.length)) ?? '{}';
  const end = inner.words.findIndex(({ text }) => /^:::/.test(text));
  const own = end < 0 ? inner.words : inner.words.slice(0, end);
  const replaced = own.map((word) =>
    word.text.includes(marker) ? { ...word, text: word.text.replaceAll(marker, hole), literal: false } : word,
  );
  const isReplaced = replaced.some((word, at) => word !== own[at]);
  const fed = end < 0 ? [unknownWord(words)] : inner.words.slice(end + 1);
  return { commands: [isReplaced && end < 0 ? replaced : [...replaced, ...fed]] };
}

/** What stands for a line of input: `-I{}`, `-I {}`, `--replace=%`. `null`: lines go to the end. */
export function markerOf(options: readonly Word[]): string | null {
  const at = options.findLastIndex(({ text }) => /^-I|^-i$|^--replace/.test(text));
  const text = options[at]?.text;
  if (text === undefined) return null;
  const glued = text.replace(/^-I|^--replace=?|^-i$/, '');
  return glued !== '' ? glued : text === '-I' ? (options[at + 1]?.text ?? null) : '{}';
}

/** `-exec ... ;`, `-execdir ... +`, `-ok`, and `-x` of fd. What is found stands for `{}`. */
function peelFind(words: readonly Word[]): Peeled | null {
  const commands: Word[][] = [];
  for (let at = 1; at < words.length; at += 1) {
    if (!/^(?:-(?:exec|ok)(?:dir)?|-x|-X|--exec|--exec-batch)$/.test(words[at]?.text ?? '')) continue;
    const inner = words.slice(at + 1);
    const end = inner.findIndex(({ text }, index) => text === ';' || (text === '+' && inner[index - 1]?.text === '{}'));
    const own = end < 0 ? inner : inner.slice(0, end);
    if (own.length > 0)
      for (const from of startsOf(words))
        commands.push(
          own.map((word) =>
            word.text.includes('{}') ? { ...word, text: word.text.replaceAll('{}', from), literal: false } : word,
          ),
        );
    at += own.length;
  }
  return commands.length === 0 ? null : { commands };
}

const mostStarts = 4;

/** Where it looks, as what it finds begins with that. */
function startsOf(words: readonly Word[]): readonly string[] {
  const first = words.findIndex(({ text }, at) => at > 0 && /^[-(!]/.test(text) && !/^-[HLP]$/.test(text));
  const starts = /^fd/.test(words[0]?.text ?? '')
    ? []
    : words.slice(1, Math.max(1, first)).filter(({ text }) => /^[/~\u0001]/.test(text));
  return starts.length === 0 ? [hole] : starts.slice(0, mostStarts).map(({ text }) => `${text}/${hole}`);
}

/** Programs that give text to a shell, or commands to another place. */
const texts: Readonly<Record<string, (words: readonly Word[]) => Peeled | null>> = {
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
  docker: execInside,
  podman: execInside,
  nerdctl: execInside,
  kubectl: execInside,
  'docker-compose': execInside,
  'podman-compose': execInside,
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

const flagsOfRun =
  /^-[ditP]+$|^--(?:rm|init|privileged|read-only|publish-all|detach|interactive|tty|no-healthcheck|oom-kill-disable|quiet|no-deps|build|service-ports|no-TTY|use-aliases|remove-orphans)$|=/;

/** `docker run -it IMAGE COMMAND`, `docker compose run SERVICE COMMAND`. */
function runInside(words: readonly Word[]): Peeled | null {
  const verb = words.findIndex(({ text }, index) => index > 0 && index < 8 && text === 'run');
  if (verb < 0 || words.slice(1, verb).some(({ text }) => /^(?:exec|build|logs|pull|push|tag)$/.test(text)))
    return null;
  let at = verb + 1;
  while (words[at]?.text.startsWith('-') === true) at += flagsOfRun.test(words[at]?.text ?? '') ? 1 : 2;
  const inner = words.slice(at + 1);
  return inner.length === 0 ? null : { commands: [inner], elsewhere: true };
}

/** `docker exec -it NAME COMMAND`, `kubectl exec NAME -- COMMAND`, also below `compose`. */
function execInside(words: readonly Word[]): Peeled | null {
  const at = words.findIndex(({ text }, index) => index > 0 && index < 8 && text === 'exec');
  if (at < 0) return words[0]?.text.endsWith('kubectl') === true ? null : runInside(words);
  const form = {
    short: 'euwcn',
    long: ['--env', '--user', '--workdir', '--container', '--namespace', '--env-file', '--index'],
  };
  const inner = words.slice(
    afterOptions(words, afterOptions(words, at + 1, form) + 1, { short: 'cn', long: ['--container', '--namespace'] }),
  );
  return inner.length === 0 ? null : { commands: [inner], elsewhere: true };
}

export function unknownWord(near: readonly Word[]): Word {
  const { start = 0, end = 0 } = near[0] ?? {};
  return { text: hole, raw: '', start, end, literal: false, glob: false };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
