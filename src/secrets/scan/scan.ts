/**
 * Looks at a file that will be a part of a prompt (AGENTS.md, .cursorrules, SOUL.md) before it is one. A guard-rail: it
 * finds known ways to steer a model and to hide text, and proves nothing about a text in which it finds none.
 */
import { createHash } from 'node:crypto';
import { characterFindings } from './characters.ts';
import { fold } from './fold.ts';
import { phrases } from './phrases.ts';
import type { ScanFinding, ScanResult } from './types.ts';

/** Longer files are no context files. */
const maxBytes = 256 * 1024;
const maxFindings = 100;

export interface Scanned {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export function scan({ name, bytes }: Scanned, isApproved: (sha256: string) => boolean = () => false): ScanResult {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const text = textOf(bytes);
  const findings = typeof text === 'string' ? findingsIn(text) : [text];
  // What cannot be read cannot be approved either: no person has seen it.
  const verdict =
    findings.length === 0 ? 'clean' : typeof text === 'string' && isApproved(sha256) ? 'approved' : 'blocked';
  const content = verdict === 'blocked' || typeof text !== 'string' ? blockedLine(name, findings) : text;
  return { name, verdict, findings, sha256, content };
}

function textOf(bytes: Uint8Array): string | ScanFinding {
  const unreadable = { category: 'unreadable' as const, start: 0, end: 0, line: 1 };
  if (bytes.length > maxBytes)
    return { ...unreadable, rule: 'too-long', description: `is longer than ${maxBytes} bytes` };
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { ...unreadable, rule: 'encoding', description: 'is no UTF-8 text' };
  }
}

function findingsIn(text: string): readonly ScanFinding[] {
  const folded = fold(text);
  const said = phrases.flatMap(({ pattern, ...phrase }) =>
    [...folded.text.matchAll(pattern)].map(({ index, 0: match }) => ({
      ...phrase,
      start: folded.origin[index] ?? 0,
      end: folded.origin[index + match.length] ?? text.length,
    })),
  );
  const all = [...said, ...characterFindings(text)].toSorted((a, b) => a.start - b.start || a.end - b.end);
  const lineAt = lineCounter(text);
  return all.slice(0, maxFindings).map((finding) => ({ ...finding, line: lineAt(finding.start) }));
}

/** For places that do not go back. */
function lineCounter(text: string): (at: number) => number {
  let line = 1;
  let seen = 0;
  return (at) => {
    for (; seen < at; seen += 1) if (text.charCodeAt(seen) === 0x0a) line += 1;
    return line;
  };
}

/** In the place of a file that is not loaded. Its name is a stranger's too. */
function blockedLine(name: string, findings: readonly ScanFinding[]): string {
  const base = name.split('/').at(-1) ?? '';
  const shown = base.replaceAll(/[^\p{L}\p{N}._ -]/gu, '?').slice(0, 100);
  const categories = [...new Set(findings.map(({ category }) => category))].join(', ');
  return `[BLOCKED: ${shown} contained potential prompt injection (${categories}). Content not loaded.]`;
}
