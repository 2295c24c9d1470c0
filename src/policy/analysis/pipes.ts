/** Text that reaches a shell through a pipe, a here-document or a process substitution, where it is written in the command. */
import { operandsOf } from './options.ts';
import { outputOf } from './output.ts';
import { isCaisson } from './runners.ts';
import type { Payload, Session } from './session.ts';
import { isShell, shellCall } from './shells.ts';
import { hole, type Simple, type Stage } from './types.ts';
import { resolveWord, wordsOfSimple } from './words.ts';
import { innerOf, wrappers } from './wrappers.ts';

/** `from`: the first command of the session that belongs to this payload. */
export function readPiped(session: Session, from: number, payload: Payload): void {
  const commands = session.commands.slice(from);
  const stages = new Map<object, Map<number, Simple[]>>();
  for (const command of commands) {
    if (command.stage === null) continue;
    const pipeline = stages.get(command.stage.pipeline) ?? new Map<number, Simple[]>();
    stages.set(command.stage.pipeline, pipeline);
    pipeline.set(command.stage.index, [...(pipeline.get(command.stage.index) ?? []), command]);
  }
  for (const command of commands) {
    const text = textFor(command, stages);
    if (text !== null)
      session.read(
        { text, word: spanOf(command) },
        {
          cwd: command.cwd,
          around: { ...payload.around, stdin: null, stage: null },
          depth: payload.depth,
          span: payload.span,
          elsewhere: command.elsewhere,
        },
      );
  }
}

type Stages = ReadonlyMap<object, ReadonlyMap<number, readonly Simple[]>>;

function textFor(command: Simple, stages: Stages): string | null {
  const input = (): string | null => command.stdin ?? inputOf(command.stage, stages);
  if (command.program === 'xargs') return xargsText(command, input());
  if (isShell(command.program) || command.program === 'source' || command.program === '.') {
    const script = scriptOf(command);
    return script === null || script.text === '/dev/stdin' || script.text === '-'
      ? input()
      : substituted(script.raw, command);
  }
  const asksShell = isCaisson(command.program ?? '') && command.words[1]?.text === 'sh';
  return asksShell || command.program === 'at' || command.program === 'batch' ? input() : null;
}

function scriptOf({ program, words }: Simple): { readonly text: string; readonly raw: string } | null {
  if (!isShell(program)) return words[1] ?? null;
  const call = shellCall(words.slice(1));
  if (call.kind === 'input') return null;
  return call.kind === 'script' ? call.script : { text: 'x', raw: '' };
}

/** `bash <(echo ...)` */
function substituted(raw: string, { cwd, words }: Simple): string | null {
  const inside = /^<\(([^]*)\)$/.exec(raw)?.[1];
  const raws = inside === undefined ? null : wordsOfSimple(inside);
  if (raws === null) return null;
  const at = { start: words[0]?.start ?? 0, end: words[0]?.end ?? 0, nested: 2 };
  return outputOf(
    raws.flatMap((each) => resolveWord(each, at, { vars: new Map(), cwd })).map(({ text }) => text),
    cwd,
  );
}

function xargsText({ words }: Simple, input: string | null): string | null {
  const inner = input === null ? null : innerOf(words, wrappers.get('xargs') ?? {});
  return inner === null || input === null
    ? null
    : [...inner.words.map(({ text }) => text), ...input.split(/\s+/)]
        .map((text) => (/^[\w./*?~=+:,-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`))
        .join(' ');
}

const mostStages = 64;

/** What the stages before write, as far as it is the text of an echo, passed on or decoded. */
function inputOf(stage: Stage | null, stages: Stages): string | null {
  if (stage === null || stage.index === 0) return null;
  const later: ((text: string) => string)[] = [];
  for (let index = stage.index - 1; index >= Math.max(0, stage.index - mostStages); index -= 1) {
    const [command, second] = stages.get(stage.pipeline)?.get(index) ?? [];
    if (command === undefined || second !== undefined) return null;
    const text = writtenBy(command);
    if (text !== null) return later.reduceRight((value, change) => change(value), text);
    const change = passes(command);
    if (change === null) return null;
    later.push(change);
  }
  return null;
}

function writtenBy({ program, words, cwd, stdin }: Simple): string | null {
  if (program === 'cat' && words.length === 1) return stdin;
  const text =
    program === 'echo' || program === 'printf'
      ? outputOf(
          words.map((word) => word.text),
          cwd,
        )
      : null;
  return (
    text ??
    (program === 'echo'
      ? words
          .slice(1)
          .map((word) => word.text)
          .join(' ')
          .replaceAll(hole, '${__}')
      : null)
  );
}

function passes({ program, words }: Simple): ((text: string) => string) | null {
  if (program === 'tee' || (program === 'cat' && operandsOf(words.slice(1)).every(({ text }) => text === '-')))
    return (text) => text;
  const decodes = program === 'base64' && words.some(({ text }) => /^(?:-d|-D|-di|--decode|--d\w*)$/.test(text));
  return decodes ? (text) => Buffer.from(text, 'base64').toString('utf8') : null;
}

function spanOf({ start, end }: Simple): Simple['words'][number] {
  return { text: '', raw: '', start, end, literal: false, glob: false };
}
