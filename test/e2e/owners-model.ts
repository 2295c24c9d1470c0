/** What an owner has made so far, and so what it may see; and what no answer may hold. */
import { expect } from 'vitest';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface ModelRequest {
  readonly method: string;
  readonly body?: unknown;
  readonly accept?: string;
}

export type Ask = (path: string, how: ModelRequest) => Promise<Answer>;

export interface Task {
  readonly taskId: string;
  readonly sandboxId: string;
  /** Names below /workspace, and the text in each. */
  readonly files: Map<string, string>;
  /** What looks into a sandbox that was stopped may be refused. */
  stopped: boolean;
}

/** An exec or a process. */
export interface Ran {
  readonly taskId: string;
  readonly sandboxId: string;
  readonly text: string;
}

const longestHistory = 40;

export class Owner {
  readonly name: string;
  /** Text in all that the owner writes, runs and says. */
  readonly marker: string;
  readonly ask: Ask;
  readonly person: Ask;
  readonly tasks = new Map<string, Task>();
  /** Files of tasks that were removed without them. */
  readonly kept = new Map<string, Map<string, string>>();
  readonly execs = new Map<string, Ran>();
  readonly processes = new Map<string, Ran>();
  readonly pending = new Set<string>();
  /** The last requests and their answers, oldest first: what a failure is explained by. */
  readonly history: string[] = [];
  /** All ids of sandboxes and approvals that it ever had. */
  readonly ids: string[] = [];
  #count = 0;

  constructor(name: string, { marker, ask, person }: Pick<Owner, 'marker' | 'ask' | 'person'>) {
    this.name = name;
    this.marker = marker;
    this.ask = ask;
    this.person = person;
  }

  note(begun: Date, request: string, { status, text }: Answer): void {
    const ended = new Date().toISOString().slice(17);
    const line = `${begun.toISOString().slice(14)} to ${ended}: ${request} -> ${status} ${text.slice(0, 300)}`;
    this.history.push(line.replaceAll('\n', ' '));
    if (this.history.length > longestHistory) this.history.shift();
  }

  /** Counts from 1, so that every owner has equal numbers in equal order. */
  next(): number {
    this.#count += 1;
    return this.#count;
  }
}

export const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] ?? expect.unreachable();

/** A text as bytes of base64, wherever in it the text begins. */
function encoded(text: string): readonly string[] {
  return [0, 1, 2].map((before) =>
    Buffer.from('x'.repeat(before) + text)
      .toString('base64')
      .slice(before === 0 ? 0 : 4, -4),
  );
}

/** `sent`: what the client itself has named, which an error may name again. */
export function expectNothingOfOthers(owner: Owner, owners: readonly Owner[], { text }: Answer, sent: string): void {
  for (const other of owners) {
    if (other === owner) continue;
    for (const canary of [other.marker, ...encoded(other.marker)])
      if (text.includes(canary)) throw new Error(`${owner.name} reads ${canary} of ${other.name}: ${sent}\n${text}`);
    for (const id of other.ids)
      if (!sent.includes(id) && text.includes(id))
        throw new Error(`${owner.name} sees ${id} of ${other.name}: ${sent}\n${text}`);
  }
  expect(text).not.toMatch(/(?:exec_|["' ])owner-\d+\./);
}

export interface Request {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly accept?: string;
  readonly check: (answer: Answer) => void | Promise<void>;
}

/** `id`: as the request names the task, by its own name or that of its sandbox. */
export type Make = (owner: Owner, task: Task, id: string) => Request;

export const json = ({ text }: Answer) => Object(text.startsWith('{') ? JSON.parse(text) : {});
export const itemsOf = (answer: Answer, key = 'items'): readonly string[] => {
  expect(answer.status).toBe(200);
  const items: readonly { readonly id?: string; readonly name: string }[] = json(answer)[key];
  return items.map(({ id, name }) => id ?? name).toSorted();
};

export const succeeds =
  (...statuses: readonly number[]) =>
  ({ status, text }: Answer): void =>
    expect([statuses.includes(status), text]).toEqual([true, text]);

/** What the streams of an answer hold, decoded. */
export function outputOf(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/^data: /, ''));
  const events = lines.filter((line) => line.startsWith('{')).map((line) => Object(JSON.parse(line)));
  return events
    .filter(({ type }) => type === 'stdout')
    .map(({ data, encoding }) => Buffer.from(data, encoding === 'base64' ? 'base64' : 'utf8').toString('latin1'))
    .join('');
}
