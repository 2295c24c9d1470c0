/** The input that a request brings for its command, for the person who decides: bounded, without secrets and characters that are not seen. */
import { hash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { shownCommand } from './display.ts';

const maxUnits = 64 * 1024;
const endUnits = 8 * 1024;
const shownEndUnits = 1000;

/** `redact`: takes secrets out of a text. */
export function shownInput(input: string | Uint8Array, redact: (text: string) => string): string {
  if (input.length === 0) return 'nothing: the input is empty';
  const bytes = Buffer.from(input);
  if (!isUtf8(bytes)) return `binary: ${bytes.length} bytes; sha256 ${hash('sha256', bytes)}`;
  const text = bytes.toString();
  if (text.length <= maxUnits) return shownCommand(redact(text)).display;
  // More of each end than is shown is redacted, so that a secret which begins there is seen whole.
  const head = redact(text.slice(0, endUnits)).slice(0, shownEndUnits);
  const tail = redact(text.slice(-endUnits)).slice(-shownEndUnits);
  const left = `[... most of ${text.length} characters is not shown; sha256 ${hash('sha256', bytes)} ...]`;
  return [shownCommand(head).display, left, shownCommand(tail).display].join('\n');
}
