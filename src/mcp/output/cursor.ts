/**
 * The point at which a reader of an exec goes on: the last event that it has seen, and of each stream the bytes of a character
 * that was not complete yet. Pure.
 */
import { z } from 'zod';

export interface Cursor {
  readonly seq: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

const none = new Uint8Array();
export const start: Cursor = { seq: 0, stdout: none, stderr: none };

const form = /^(\d{1,16})(?:\.((?:[0-9a-f]{2}){0,3})\.((?:[0-9a-f]{2}){0,3}))?$/;

export const cursorText = z.string().max(40).regex(form);

/** `text`: of `cursorText`. */
export function cursorOf(text: string): Cursor {
  const [, seq = '0', stdout = '', stderr = ''] = form.exec(text) ?? [];
  return { seq: Number(seq), stdout: Buffer.from(stdout, 'hex'), stderr: Buffer.from(stderr, 'hex') };
}

export function textOf({ seq, stdout, stderr }: Cursor): string {
  if (stdout.length === 0 && stderr.length === 0) return String(seq);
  return `${seq}.${Buffer.from(stdout).toString('hex')}.${Buffer.from(stderr).toString('hex')}`;
}
