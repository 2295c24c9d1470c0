/** Reads what reaches a shell, or a program that hands it to one, through pipes, documents and files that the text writes. */
import { Files, makesFiles } from './files.ts';
import { machineOf, sshHost } from './machines.ts';
import type { Payload, Run } from './parts.ts';
import { codeOf, partsOf, runsText, textFor } from './scripts.ts';
import { isInterpreter, isShell } from './shells.ts';
import type { Session } from './session.ts';
import type { Content, PipelineContext } from './streams.ts';
import { hole, laterInput, type Elsewhere, type Simple, type Word } from './types.ts';

/** `from`: the first command of the session that belongs to this payload. */
export function readPiped(session: Session, from: number, payload: Payload): void {
  const known = { stages: session.stages, fileAt: () => null };
  for (let at = from; at < session.commands.length; at += 1) {
    const command = session.commands[at];
    if (command === undefined) continue;
    if (evaluatesUnseen(command)) session.unread.add(command);
    if (!runsText(command)) continue;
    const run = { command, payload, read: new Set<string>() };
    session.runs.push(run);
    take(session, run, textFor(command, known, session.isFed));
  }
}

/** When all else is read: what the text leaves in files, and runs. Whether there is more to read. */
export function readScripts(session: Session): boolean {
  const { runs, stages, commands, features } = session;
  if (runs.length === 0 || session.time.isOver || !makesFiles(commands)) return false;
  const isInOrder =
    !features.has('background') &&
    !Array.from(new Set(runs.map(({ payload }) => payload.text))).some((text) => inBackground.test(text)) &&
    !commands.some(({ program }) => program === 'trap');
  const files = new Files(commands, { stages, isInOrder });
  if (files.isEmpty) return false;
  const known: PipelineContext = { stages, fileAt: files.fileAt };
  let more = false;
  for (const run of runs) {
    const content = textFor(run.command, known, session.isFed);
    files.says(codeOf(run.command, known));
    more = take(session, run, content) || more;
    const parts = partsOf(run.command);
    if (parts !== null && files.hasBelow(parts, run.command.cwd)) session.unread.add(run.command);
  }
  return more;
}

function take(session: Session, { command, payload, read }: Run, { text, isSeen }: Content): boolean {
  if (!isSeen && runsWhole(command)) session.unread.add(command);
  if (text === null || read.has(text)) return false;
  read.add(text);
  if (text === hole) session.note(laterInput.rule, laterInput.description, command);
  else
    session.read(
      { text, word: spanOf(command) },
      {
        cwd: command.cwd,
        around: { ...payload.around, stdin: null, stage: null },
        depth: payload.depth,
        span: payload.span,
        elsewhere: elsewhereOf(command),
      },
    );
  return true;
}

/** `eval "x=$(y)"`. What begins so is a command whose name is not known. */
const evaluatesUnseen = ({ program, words }: Simple): boolean =>
  program === 'eval' &&
  words[1]?.text.startsWith(hole) === false &&
  words.some(({ text, raw }) => text.includes(hole) && /\$\(|`/.test(raw));

/** The shell that ssh opens is on another machine. */
const elsewhereOf = ({ program, words, elsewhere }: Simple): Elsewhere =>
  program === 'ssh' && elsewhere === false ? machineOf(sshHost(words)?.text) : elsewhere;

const inBackground = /[^&<>|]&(?![&>])/;

const readers = /^(?:source|\.|make|gmake|[gmn]?awk|g?sed)$/;

/** Whether all of the text is commands for it, and not what a client is given to store. */
const runsWhole = ({ program, words }: Simple): boolean =>
  isShell(program) || isInterpreter(program) || readers.test(program ?? '') || words[0]?.text.includes('/') === true;

function spanOf({ start, end }: Simple): Word {
  return { text: '', raw: '', start, end, literal: false, glob: false };
}
