/** Events of the record of an exec, from the lines of a stream. */
import { CaissonError } from '../../errors.ts';
import type { Exit } from '../../values/exit.ts';
import type { ExecEvent, Where } from '../../values/exec-event.ts';
import type { LineObject } from '../wire/lines.ts';
import { shaped, type Shape } from '../wire/shape.ts';

const place: Shape<ExecEvent> = { execId: 'text', seq: 'number', at: 'text' };
const exit: Shape<Exit> = { reason: 'text', exitCode: 'number?', stdout: 'object', stderr: 'object', notes: 'list' };
const where: Shape<Where> = { backend: 'text', taskId: 'text', sandboxId: 'text' };
const encoder = new TextEncoder();

/** `null`: of another kind, such as a question. */
export function eventIn(sent: LineObject): ExecEvent | null {
  const event = bodyIn(sent);
  if (event === null) return null;
  const { execId, seq, at } = shaped<ExecEvent>(sent, place);
  return { execId, seq, at, event };
}

function bodyIn(sent: LineObject): ExecEvent['event'] | null {
  const { type } = sent;
  switch (type) {
    case 'started': {
      const { command, cwd, tty } = shaped<Extract<ExecEvent['event'], { type: 'started' }>>(sent, {
        command: 'list',
        cwd: 'text',
        tty: 'flag',
      });
      const { user } = sent;
      return { type, command, cwd, ...(typeof user === 'string' ? { user } : {}), tty, where: whereIn(sent) };
    }
    case 'stdout':
    case 'stderr':
      return { type, bytes: bytesIn(sent) };
    case 'gap': {
      const { stream, bytes } = sent;
      if ((stream !== 'stdout' && stream !== 'stderr') || typeof bytes !== 'number') throw eventFormError();
      return { type, stream, bytes };
    }
    case 'exit':
      return { type, exit: exitIn(sent['exit']) };
    default:
      return null;
  }
}

export const checkWhere = (value: unknown): Where => shaped<Where>(value, where);
export const whereIn = (sent: LineObject): Where => checkWhere(sent['where']);
export const exitIn = (value: unknown): Exit => shaped<Exit>(value, exit);

function bytesIn({ data, encoding }: LineObject): Uint8Array {
  if (typeof data !== 'string') throw eventFormError();
  if (encoding !== 'base64') return encoder.encode(data);
  try {
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  } catch {
    throw eventFormError();
  }
}

const eventFormError = (): CaissonError =>
  new CaissonError('internal', 'the service sent an event of another form than this client knows');
