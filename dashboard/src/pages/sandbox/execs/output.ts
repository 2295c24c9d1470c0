/** Output of a command as it comes, bounded, as text. Pure but for its own state. */
import { shownLines } from '../../../text/hostile.ts';
import { bytesText } from '../../../text/units.ts';

const mostCharacters = 200_000;
/** Beyond this it is cut to `mostCharacters`: a cut for each part would copy all of it each time. */
const cutCharacters = 250_000;

/** Sequences by which a terminal is coloured and moved, and titles and clipboards are set: here they are left out. */
// oxlint-disable-next-line no-control-regex -- sequences of a terminal are removed from a preview
const sequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|[ -/]*[0-~])/g;

export const plainOf = (text: string): string => shownLines(text.replaceAll(sequence, ''));

/** Bytes of each stream on record that are shown: all of a record may be a gigabyte. */
export const tailBytes = 128 * 1024;

type StreamName = 'stdout' | 'stderr';

export class Output {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #begun = new Set<StreamName>();
  #text = '';
  /** Bytes that are not shown, while the text is not too long. */
  #left = 0;
  #isCut = false;

  add(stream: StreamName, bytes: Uint8Array): void {
    this.#begun.add(stream);
    this.#text += this.#decoder.decode(bytes, { stream: true });
    if (this.#text.length <= cutCharacters) return;
    const dropped = this.#text.length - mostCharacters;
    this.#left += lengthOf(this.#text.slice(0, dropped));
    this.#text = this.#text.slice(dropped);
    this.#isCut = true;
  }

  /** Before the first output of its stream it is what a tail leaves out, and later what was not kept. */
  addGap(stream: StreamName, bytes: number): void {
    if (this.#begun.has(stream)) this.#text += `\n[${bytes} bytes of ${stream} are not kept]\n`;
    else this.#left += bytes;
    this.#isCut ||= !this.#begun.has(stream);
  }

  /** A line whose beginning is left out is left out too, unless it is all that there is. */
  get text(): string {
    if (!this.#isCut) return plainOf(this.#text);
    const first = this.#text.indexOf('\n') + 1;
    const at = this.#text.length > first ? first : 0;
    const left = this.#left + lengthOf(this.#text.slice(0, at));
    return `[${bytesText(left)} before this are left out]\n${plainOf(this.#text.slice(at))}`;
  }
}

const lengthOf = (text: string): number => new TextEncoder().encode(text).length;

interface Exit {
  readonly reason: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export function exitText(exit: Exit | null): string {
  if (exit === null) return 'runs';
  const { reason, exitCode, signal } = exit;
  if (reason === 'exited') return `exit ${exitCode ?? '?'}`;
  return signal === null ? reason : `${reason} ${signal}`;
}
