/** What a command writes, where that is certain: `echo` and `printf` of known words, and a few that tell a path. */
import { decodeEscapes } from './quoting.ts';
import { hole } from './types.ts';

/** `null`: not known. `words` are resolved; the text has no hole. */
export function outputOf(words: readonly string[], cwd: string | null): string | null {
  const [program = '', ...args] = words;
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (name === 'mktemp') return `/tmp/${hole}`;
  if (name === 'pwd') return cwd;
  if (args.some((arg) => arg.includes(hole))) return null;
  if (setsUp(name, args.join(' '))) return '';
  if (name === 'echo') return echoed(args);
  if (name === 'printf') return printed(args);
  return located(name, args);
}

/** Programs that print settings for the shell that calls them, as their manuals say: `eval "$(ssh-agent -s)"`. */
const settings: Readonly<Record<string, RegExp>> = {
  'ssh-agent': /^(?:|-[sck]|-t \w+)$/,
  direnv: /^(?:hook|export) \w+$/,
  pyenv: /^(?:virtualenv-)?init\b/,
  rbenv: /^init\b/,
  nodenv: /^init\b/,
  fnm: /^env\b/,
  brew: /^shellenv\b/,
  conda: /^shell\.\w+ hook$/,
  micromamba: /^shell hook\b/,
  starship: /^init \w+$/,
  zoxide: /^init \w+$/,
  mise: /^activate\b/,
  opam: /^env\b/,
  dircolors: /^(?:-b|)$/,
  minikube: /^docker-env\b/,
  'docker-machine': /^env\b/,
  luarocks: /^path\b/,
  fzf: /^--(?:bash|zsh)$/,
};

/** Those that print how a shell completes their words. */
const completes =
  /^(?:kubectl|helm|docker|minikube|kind|npm|pnpm|gh|glab|flux|argocd|k9s|deno|ng|oc|stern|eksctl|velero|istioctl|cilium|doctl|hugo|rustup|poetry|pipx|pip3?|uv|just|yq|goreleaser)$/;

const setsUp = (name: string, args: string): boolean =>
  (Object.hasOwn(settings, name) && settings[name]?.test(args) === true) ||
  (completes.test(name) && /^(?:completions?|generate-shell-completion)\b/.test(args));

/** `which rm` and `command -v rm` name the program, wherever it is. */
function located(name: string, args: readonly string[]): string | null {
  const [first = '', second] = args;
  if (name === 'which' && args.length === 1 && !first.startsWith('-')) return first;
  return (name === 'command' && first === '-v' && second !== undefined) ||
    (name === 'type' && /^-[pP]$/.test(first) && second !== undefined)
    ? (second ?? null)
    : null;
}

function echoed(args: readonly string[]): string {
  const first = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  const flags = args.slice(0, first < 0 ? args.length : first).join('');
  const text = (first < 0 ? [] : args.slice(first)).join(' ');
  return `${flags.includes('e') ? decodeEscapes(text) : text}${flags.includes('n') ? '' : '\n'}`;
}

function printed(args: readonly string[]): string | null {
  const [format = '', ...values] = args[0] === '--' ? args.slice(1) : args;
  if (format.startsWith('-')) return null;
  const rest = values.slice();
  let text = '';
  do {
    const before = rest.length;
    text += decodeEscapes(format).replace(/%(%|-?\d*(?:\.\d+)?[sbqcdiux])/g, (_, kind: string) => {
      if (kind === '%') return '%';
      const value = rest.shift() ?? '';
      return kind.endsWith('b') ? decodeEscapes(value) : value;
    });
    if (rest.length === before) break;
  } while (rest.length > 0);
  return text;
}
