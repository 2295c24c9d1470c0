/** Output of a command as it comes, bounded, as text. Pure but for its own state. */
import { shownLines } from '../../../text/hostile.ts';

const mostCharacters = 200_000;

/** Sequences by which a terminal is coloured and moved, and titles and clipboards are set: here they are left out. */
// oxlint-disable-next-line no-control-regex -- sequences of a terminal are removed from a preview
const sequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|[ -/]*[0-~])/g;

export const plainOf = (text: string): string => shownLines(text.replaceAll(sequence, ''));

export class Output {
  readonly #decoder = new TextDecoder('utf-8');
  #text = '';
  #isCut = false;

  add(bytes: Uint8Array): void {
    this.#text += this.#decoder.decode(bytes, { stream: true });
    if (this.#text.length <= mostCharacters) return;
    this.#text = this.#text.slice(-mostCharacters);
    this.#isCut = true;
  }

  addNote(text: string): void {
    this.#text += `\n[${text}]\n`;
  }

  get text(): string {
    return `${this.#isCut ? '[the beginning is left out]\n' : ''}${plainOf(this.#text)}`;
  }
}

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
