/** Catastrophes that are spelled among the words of a program which may run them: `--exec=reboot`, `EXEC:/sbin/halt`. */
import { baseName } from '../../shell/paths.ts';
import { programOf } from '../../shell/names.ts';
import { unwrap } from '../../shell/unwrap.ts';
import type { Analysis, Simple, Word } from '../../shell/types.ts';
import { hardlineRules } from './hardline.ts';
import { RuleIndex } from './rule.ts';

const hardline = new RuleIndex(hardlineRules);

export function isCatastrophe(command: Simple, analysis: Analysis): boolean {
  let found = false;
  hardline.hitsOf(command, analysis, () => (found = true));
  return found;
}

/** Programs for which words are only words, or whose own reading is looked through. */
const talks = /^(?:echo|printf|cat|[efz]?grep|rg|ag|ack|git|gh|glab|man|which|whereis|whatis|apropos|type|command|hash|ls|stat|file|touch|mkdir|cd|test|\[|\[\[|:|true|false|cp|mv|rm|ln|tee|head|tail|less|more|wc|sort|uniq|diff|cmp|find|sed|[gmn]?awk|jq|yq|export|unset|local|declare|typeset|readonly|alias|set|read|logger|notify-send|lastb?|xxd|od|hexdump|strings|ldd|readelf|nm|objdump|md5sum|sha\d+sum|docker|podman|nerdctl|kubectl|docker-compose|podman-compose|lxc|incus|caisson|hermes|compgen|complete|trap|systemctl|dd|kill)$/;

/** Programs that are asked about files by their paths. */
const looksUp = /^(?:dpkg|rpm|pacman|apt-file|yum|dnf|apk)$/;

/** Programs that run what stands behind their own words, wherever that begins. */
const runsRest = /^(?:bwrap|proot|capsh|systemd-(?:nspawn|notify|socket-activate)|flatpak-spawn|host-spawn|distrobox-host-exec|start-stop-daemon|daemon(?:ize)?|execlineb|tcpserver|pee|mispipe|pueue|ip|cmake|gdb|gdbserver|py-spy|dtach|abduco|byobu|zellij|pm2|forever|foreman|honcho|forego|overmind|env-cmd|run-[sp]|npm-run-all|start-server-and-test|lerna|nx|tmux|screen|onchange|qemu-\w+|box(?:64|86)|wine|ld-.*|autossh|mosh|pssh|parallel-ssh|clush|pdsh|dsh|salt(?:-call)?|xdotool|ydotool|i3-msg|swaymsg|hyprctl|kitty|foot|gnome-terminal|su|disown|fc|rbenv|pyenv|nvm|fnm|volta|asdf|nix|guix|pixi|rye|devbox|mamba|dotenvx|s6-\w+|mix|at|batch)$/;

/** Names of options and variables whose value is run. */
const runsValue = /(?:^|[-_.])(?:exec|command|cmd|run|prog(?:ram)?|pager|editor|browser|rsh|ssh|shell|filter|invoke|pipe|run_under|to-command|CC|CXX|LD|rustc|editor-cmd|wrapp?er|wrap|helper|preview|complete|launcher|runner|connect|askpass|close|edit|up|executable|as|toolexec)$/i;
/** Those whose value is for people. */
const says = /^(?:.*[-_])?(?:message|title|body|description|text|comment|subject|note|query|prompt|data)$/i;
const shortRuns = /^-{1,2}(?:[a-zA-Z]?[cexX]|exec|toolexec|T{1,2}|rsh)$/;

const powers = /^(?:reboot|poweroff|halt|shutdown|telinit|init)$/;
const howFar = /^(?:-[fhrpPnw]+|now|--(?:force|reboot|halt|poweroff)|\+\d+|[06])$/;
/** What stands before a text for a shell, or names an option before its value. */
const marks = /^(?:-{0,2}([A-Za-z][\w.:-]*)=["']?)?(\\?[!|]\s*|:!|(?:EXEC|SYSTEM|SHELL|exec):|%pipe%|(?:\S*\/)?(?:ba|da|k|z)?sh -\w*c ["']?|\.(?:shell|system)\s+|%\()?/;
/** Words that may begin one. */
const risky = /(?:^|[\s/=|!:("'%])(?:rm|dd|kill|mkfs[\w.]*|wipefs|shred|find|blkdiscard|systemctl|reboot|poweroff|halt|shutdown|telinit|init)\b/;
const maxWords = 64;
const maxUnits = 1024;
const maxTried = 8;

/** Whether what is spelled from one of its words on would be refused if it were run. */
export function namesCatastrophe(command: Simple, analysis: Analysis): boolean {
  const { program, words, assignments, elsewhere } = command;
  if (elsewhere === 'container' || program === null || program === '' || !(words.some(isRisky) || assignments.some(({ value }) => risky.test(value.slice(0, maxUnits))))) return false;
  const set = assignments.some(({ name, value }) => spelled(`${name}=${value}`, runsValue.test(name), { command, analysis }));
  if (set || talks.test(program) || unwrap(program, words) !== null) return set;
  const tried = words.flatMap((word, at) => (at > 0 && isRisky(word) ? [at] : [])).slice(0, maxTried);
  return tried.some((at) => ((!looksUp.test(program) || isRunBy(at, command)) && begins(at, { command, analysis })) || spelled(words[at]?.text ?? '', isRunBy(at, command), { command, analysis }));
}

const isRisky = ({ text }: Word): boolean => text.length <= maxUnits && risky.test(text);

interface In {
  readonly command: Simple;
  readonly analysis: Analysis;
}

/** The words from one on: `rm -rf /`. */
function begins(at: number, { command, analysis }: In): boolean {
  const words = command.words.slice(at, at + maxWords);
  return isSpelledOut(words.map(({ text }) => text), isRunBy(at, command)) && isCatastrophe({ ...command, words, program: programOf(words[0]), redirects: [], assignments: [] }, analysis);
}

/** Inside of one word, behind a mark or the name of an option. */
function spelled(text: string, isRun: boolean, { command, analysis }: In): boolean {
  const [mark = '', name = '', sign] = marks.exec(text) ?? [];
  const texts = text.slice(mark.length).replace(/^["']|["'()]+$/g, '').split(/\s+/, maxWords);
  const option = name.replace(/:+$/, '');
  if ((mark === '' && !(isRun && texts.length > 1)) || says.test(option)) return false;
  if (!isSpelledOut(texts, isRun || sign !== undefined || runsValue.test(option))) return false;
  const [near] = command.words;
  const words = texts.map((each) => ({ text: each, raw: each, start: near?.start ?? 0, end: near?.end ?? 0, literal: false, glob: false }));
  return isCatastrophe({ ...command, words, program: programOf(words[0]), redirects: [], assignments: [] }, analysis);
}

/** A bare name such as `reboot` is mostly a target, a test or a file, unless something says that it is run. */
function isSpelledOut([name = '', next = '']: readonly string[], isRun: boolean): boolean {
  return isRun || /\/s?bin\//.test(name) || !powers.test(baseName(name)) || howFar.test(next);
}

function isRunBy(at: number, { program, words }: Simple): boolean {
  const before = words[at - 1]?.text ?? '';
  if (runsRest.test(program ?? '')) return true;
  if (before === '--') return words.slice(0, at).some(({ text }) => /^(?:.*-)?(?:exec|shell|run|ssh|x)$/.test(text));
  return shortRuns.test(before) || (before.startsWith('-') && runsValue.test(before));
}
