/** A command that a model may leave running: what it wrote since it was looked at, and its end. */
import type { Started } from '../api.ts';
import { quiet, written } from '../input.ts';
import { codeOf, notesOf } from '../place.ts';
import type { Exit } from '../../values/exit.ts';

/** Characters that are kept of output that the model has not read. */
const maxUnread = 1024 * 1024;

interface Output {
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
}

export class LiveCommand {
  readonly #running: Started;
  readonly #ended: Promise<Exit>;
  #exit: Exit | null = null;
  #output = '';
  #stdout = '';
  #stderr = '';

  constructor(running: Started) {
    this.#running = running;
    quiet(running.stdin);
    this.#ended = this.#follow();
    this.#ended.catch(() => {});
  }

  get takesInput(): boolean {
    return this.#running.stdin !== null;
  }

  /** Waits for the end, at most so long. */
  async wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([this.#ended, promise]).finally(() => clearTimeout(timer));
  }

  async write(chars: string): Promise<void> {
    if (this.#running.stdin !== null && chars !== '') await written(this.#running.stdin, chars);
  }

  async cancel(): Promise<void> {
    await this.#running.cancel();
    await this.#ended;
  }

  /** `null`: it runs. Throws for an end that is not known. */
  get exitCode(): number | null {
    return this.#exit === null ? null : codeOf(this.#exit);
  }

  /** What came since the last call. */
  take(): Output {
    const taken = { output: this.#output, stdout: this.#stdout, stderr: this.#stderr };
    this.#output = '';
    this.#stdout = '';
    this.#stderr = '';
    return taken;
  }

  async #follow(): Promise<Exit> {
    const [exit] = await Promise.all([
      this.#running.exit,
      this.#read(this.#running.stdout, (text) => (this.#stdout = kept(this.#stdout, text))),
      this.#read(this.#running.stderr, (text) => (this.#stderr = kept(this.#stderr, text))),
    ]);
    this.#output = kept(this.#output, notesOf(exit));
    this.#exit = exit;
    return exit;
  }

  async #read(stream: AsyncIterable<Uint8Array>, add: (text: string) => void): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      const text = decoder.decode(bytes, { stream: true });
      add(text);
      this.#output = kept(this.#output, text);
    }
  }
}

const cutNote = /^\[\.\.\.(\d+) characters truncated from process output\.\.\.\]\n/;

/** The end of it, behind a line with the number of characters that went. */
function kept(before: string, text: string): string {
  const all = before + text;
  if (all.length <= 2 * maxUnread) return all;
  const [note = '', count = '0'] = cutNote.exec(all) ?? [];
  const end = all.slice(-maxUnread);
  const gone = Number(count) + all.length - note.length - end.length;
  return `[...${gone} characters truncated from process output...]\n${end}`;
}
