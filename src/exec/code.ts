/**
 * A program run from a fresh directory of its own, which is its working directory and is removed afterwards.
 *
 * The text comes by stdin, so that it is in no process table; the program itself reads end of file. When the tree is
 * killed, the script may not live to remove the directory: `codeCleanup` does it then.
 */
import { CaissonError } from '../errors.ts';

export const languages = ['python', 'node', 'bash'] as const;
export type Language = (typeof languages)[number];

const programs: Readonly<Record<Language, { readonly file: string; readonly commands: string }>> = {
  python: { file: 'main.py', commands: 'python3 python' },
  node: { file: 'main.mjs', commands: 'node nodejs' },
  bash: { file: 'main.sh', commands: 'bash' },
};

/** $1 name of the directory, $2 name of the file, $3 commands to try, $4 variables that the program must not inherit. The directory is made here or the run fails. Names have a prefix, since the program may have variables of any other. */
const runScript = `
for _cz_p in $3; do command -v "$_cz_p" >/dev/null 2>&1 && break; _cz_p=; done
[ -n "$_cz_p" ] || { echo "none of these is here: $3" >&2; exit 127; }
_cz_d=\${TMPDIR:-/tmp}/$1
mkdir -m 700 "$_cz_d" || exit 125
[ -z "$4" ] || unset $4
trap 'cd /; rm -rf "$_cz_d"' EXIT
trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM
cd "$_cz_d" || exit 125
_cz_u=$(umask); umask 077; cat >"$2" || exit 125; umask "$_cz_u"
"$_cz_p" "$2" </dev/null`;

export const codeCleanup = 'rm -rf "${TMPDIR:-/tmp}/$1"';

export function codeDirectory(execId: string): string {
  return `caisson-code-${execId}`;
}

/** `hidden`: names of variables of the place. */
export function codeCommand(
  language: string,
  execId: string,
  hidden: readonly string[] = [],
): readonly [string, ...string[]] {
  const known = languages.find((name) => name === language);
  if (known === undefined) {
    throw new CaissonError('invalid_argument', `${JSON.stringify(language.slice(0, 20))} is no language of code runs`, {
      remedy: `choose one of ${languages.join(', ')}`,
    });
  }
  const { file, commands } = programs[known];
  return ['sh', '-c', runScript, 'caisson-code', codeDirectory(execId), file, commands, hidden.join(' ')];
}
