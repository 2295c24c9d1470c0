/** Other spellings of a git command, for rules that forbid or ask: `git-push`, and an alias that the command itself defines. Pure. */
import { hole, type Simple, type Word } from '../../shell/types.ts';

/** Options before the subcommand that take the next word. */
const valued = /^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--config-env|--attr-source)$/;
/** Sets what git is configured with from a place that is not seen here. */
const elsewhere = /^(?:include|includeif)\.|^alias\.[^=]*$/i;
/** Another configuration for this one call; `/dev/null` is an empty one. */
const configures = /^GIT_CONFIG(?:_COUNT|_PARAMETERS|_KEY_\d+|_GLOBAL|_SYSTEM)?$/;
const maxDeep = 10;

/** What `git --list-cmds=builtins` lists (2.39): no alias replaces these. */
const builtins: ReadonlySet<string> = new Set(
  (
    'add am annotate apply archive blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap ' +
    'check-ref-format checkout checkout--worker checkout-index cherry cherry-pick clean clone column commit ' +
    'commit-graph commit-tree config count-objects credential credential-cache credential-cache--daemon ' +
    'credential-store describe diagnose diff diff-files diff-index diff-tree difftool fast-export fast-import fetch ' +
    'fetch-pack fmt-merge-msg for-each-ref for-each-repo format-patch fsck fsck-objects fsmonitor--daemon gc ' +
    'get-tar-commit-id grep hash-object help hook index-pack init init-db interpret-trailers log ls-files ls-remote ' +
    'ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-ours merge-recursive ' +
    'merge-recursive-ours merge-recursive-theirs merge-subtree merge-tree mktag mktree multi-pack-index mv name-rev ' +
    'notes pack-objects pack-redundant pack-refs patch-id pickaxe prune prune-packed pull push range-diff read-tree ' +
    'rebase receive-pack reflog remote remote-ext remote-fd repack replace rerere reset restore rev-list rev-parse ' +
    'revert rm send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace ' +
    'switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive ' +
    'upload-archive--writer upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree ' +
    'write-tree '
  ).split(' '),
);

/** The command itself first. A subcommand that an alias may stand for, and is not known, is a word with a hole. */
export function spellings(command: Simple): readonly Simple[] {
  const { program } = command;
  if (program?.startsWith('git-') === true) return [command, asSubcommand(command, program.slice(4))];
  return program === 'git' ? [command, ...throughAlias(command, 0)] : [command];
}

function asSubcommand(command: Simple, name: string): Simple {
  const [first, ...rest] = command.words;
  if (first === undefined) return command;
  return { ...command, program: 'git', words: [spelled(first, 'git'), spelled(first, name), ...rest] };
}

function throughAlias(command: Simple, deep: number): readonly Simple[] {
  const at = subcommandAt(command.words);
  const name = command.words[at];
  if (name === undefined) return [];
  const value = deep < maxDeep ? findAlias(command, at, name.text) : hole;
  if (value === null || value.startsWith('!')) return [];
  const meant = value.includes(hole) ? [hole] : splitWords(value);
  const words = [
    ...command.words.slice(0, at),
    ...meant.map((text) => spelled(name, text)),
    ...command.words.slice(at + 1),
  ];
  const next = { ...command, words };
  return value === hole ? [next] : [next, ...throughAlias(next, deep + 1)];
}

/** What the last `-c alias.NAME=` gives, a hole where it may be given elsewhere; `null`: no alias. */
function findAlias({ words, assignments }: Simple, at: number, name: string): string | null {
  if (builtins.has(name)) return null;
  const isSet = assignments.some((each) => configures.test(each.name) && each.value !== '/dev/null');
  let found: string | null = isSet ? hole : null;
  for (let index = 1; index < at; index += 1) {
    const set = configured(words, index);
    if (set === null) continue;
    const [, key = '', value = ''] = /^alias\.([^=]*)=([^]*)$/i.exec(set) ?? [];
    if (set.startsWith(hole) || elsewhere.test(set) || key.includes(hole)) found = hole;
    else if (key !== '' && key.toLowerCase() === name.toLowerCase()) found = value;
  }
  return found;
}

/** `NAME=VALUE` of `-c` at this index; of `--config-env` the name alone, since its value is not seen. */
function configured(words: readonly Word[], index: number): string | null {
  const { text = '' } = words[index] ?? {};
  const before = words[index - 1]?.text;
  if (before === '-c') return text;
  const variable = before === '--config-env' ? text : /^--config-env=([^]*)$/.exec(text)?.[1];
  return variable === undefined ? null : (variable.split('=', 1)[0] ?? '');
}

function subcommandAt(words: readonly Word[]): number {
  let at = 1;
  while (words[at]?.text.startsWith('-') === true) at += valued.test(words[at]?.text ?? '') ? 2 : 1;
  return at;
}

/** Splits an alias into words as git does: at blanks, with quotes and backslashes. */
function splitWords(value: string): readonly string[] {
  const parts = value.match(/(?:"(?:\\[^]|[^"\\])*"|'[^']*'|\\[^]|[^\s"'\\])+/g) ?? [];
  return parts.map((part) =>
    part.replace(
      /"((?:\\[^]|[^"\\])*)"|'([^']*)'|\\([^])/g,
      (_, double?: string, single?: string, escaped?: string) =>
        double?.replace(/\\([^])/g, '$1') ?? single ?? escaped ?? '',
    ),
  );
}

const spelled = (like: Word, text: string): Word => ({ ...like, text, literal: false, glob: false });
