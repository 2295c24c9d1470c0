/** What the inline programs of interpreters hand to a shell, or do themselves, as far as it is written out in them. */
import { hole } from './types.ts';

/** A call, by itself or of a module that starts programs, with its first string, or with a list of strings: `system("...")`, `run(["rm", "-r"])`, `exec 'x', 'y'`. */
const runs =
  /(?:(?<![\w.])|\)\.|\b(?:os|subprocess|sp|cp|child_process|Kernel|Process|IO|System|commands|pty|Deno)\.)(?:system|Command|cmd|exec(?:Sync|File|FileSync|[lv]p?e?)?|spawn(?:Sync|[lv]p?e?)?|[pP]open|run|call|check_call|check_output|getoutput|shell_exec|passthru|proc_open|execute|do shell script)[\s([]{0,8}((?:(["'])(?:(?!\2)[^\\]|\\[^])*\2[\s,]{0,8})+)/g;
const strings = /(["'])((?:(?!\1)[^\\]|\\[^])*)\1/g;
const backticks = /`([^`$]*)`|\bqx ?[{(/]([^})/]*)[})/]|%x[{(]([^})]*)[})]/g;
/** An awk program writes to a command, or reads from one. */
const piped = /\|&? ?"([^"]+)"|"([^"]+)" ?\|&? ?getline/g;

/** Calls that delete, stop or signal without any shell, and the command that does the same. */
const alike: readonly (readonly [RegExp, (argument: string) => string])[] = [
  [
    /\b(?:rmtree|rm_rf|rm_r|remove_tree|remove_dir_all|deleteDirectory)[\s(]{0,8}(["'])([^"']*)\1/g,
    (path) => `rm -r '${path}'`,
  ],
  [/\brm(?:Sync|dirSync)?\(\s?(["'])([^"']*)\1,[^)]{0,99}recursive: ?true/g, (path) => `rm -r '${path}'`],
  [/\bos\.kill\( ?()(-1) ?,/g, () => 'kill -9 -1'],
  [/\bkill[\s(]{0,4}()['"]?\w{1,9}['"]? ?(?:,|=>) ?(-1)\b/g, () => 'kill -9 -1'],
  [/\bopen\( ?(["'])(\/dev\/[^"']*)\1, ?["'][rb]?[wa+]/g, (path) => `: > '${path}'`],
  [/\bopen ?\(\w{1,9}, ?(["'])\|([^"']+)/g, (text) => text],
  [/System Events["'\\]{0,2} to ()(shut down|restart)/gi, () => 'shutdown now'],
];

/** Without any of these nothing of the above is there. */
const hints = /["'`({[/,=]|System Events/i;

const maxTexts = 32;

/** Texts for a shell. */
export function callsIn(code: string): readonly string[] {
  if (!hints.test(code)) return [];
  const texts: string[] = [];
  for (const [, list = ''] of code.matchAll(runs))
    texts.push(Array.from(list.matchAll(strings), ([, , text = '']) => text.replace(/\\([^])/g, '$1')).join(' '));
  for (const [, ...found] of code.matchAll(backticks)) texts.push(found.find((text) => text !== undefined) ?? '');
  for (const [pattern, command] of alike)
    for (const [, , argument = ''] of code.matchAll(pattern)) texts.push(command(argument));
  return texts.filter((text) => text.trim() !== '' && !text.includes(hole)).slice(0, maxTexts);
}

/** `!reboot` of an editor, also behind an address. */
const bangs = /^[ \t]*(?:[\d,$%.+-]+[ \t]*)?(?:[rwe] ?)?[:~]?![ \t]*(.+)$/gm;
/** `.shell`, `\\!`, `system`, `host`, and pipes to programs. */
const escapes =
  /(?:^[ \t]*(?:\.(?:shell|system)\b|(?:platform[ \t]+shell|shell|system|host|sh)[ \t])|(?:^|[\s;])\\!|(?:\\[ogw]|\.(?:once|output|import|log))[ \t]*\|)[ \t]*(.+)$|\bprogram\s+'([^']+)'/gim;

/** Calls of a shell in the commands of an editor, or in a letter that a mail program writes. */
export function editorCalls(said: string): readonly string[] {
  return [...callsIn(said), ...Array.from(said.matchAll(bangs), ([, text = '']) => text)].slice(0, maxTexts);
}

/** Calls of a shell in the commands for a client of a database, an editor or a debugger. */
export function clientCalls(said: string): readonly string[] {
  const found = Array.from(said.matchAll(escapes), ([, line, program]) => line ?? program ?? '');
  return [...editorCalls(said), ...found].slice(0, maxTexts);
}

/** Calls of a shell in an awk program. */
export function awkCalls(code: string): readonly string[] {
  const found = Array.from(code.matchAll(piped), ([, to, from]) => to ?? from ?? '');
  return [...callsIn(code), ...found].slice(0, maxTexts);
}
