/** Decides which names and link targets from a sandbox are acceptable. Pure: segments and bytes, no file system. */
import type { ByteName } from './byte-name.ts';
import type { CopyLimits } from './limits.ts';
import type { Rule } from './refusal.ts';

/** NAME_MAX of every file system we write to. */
const segmentBytes = 255;

export type NameCheck =
  | { readonly ok: true; readonly segments: readonly ByteName[] }
  | { readonly ok: false; readonly rule: Rule; readonly why: string };

const no = (rule: Rule, why: string): NameCheck => ({ ok: false, rule, why });

/**
 * `./` and `.` are the root: no segments. One leading `./` and one trailing `/` are what honest tars write; every other
 * form that a file system would have to interpret is refused instead of being cleaned.
 */
export function checkName(name: ByteName, limits: Pick<CopyLimits, 'depth' | 'pathBytes'>): NameCheck {
  if (name === '') return no('empty-name', 'it has no name');
  if (name.length > limits.pathBytes) return no('name-too-long', 'its name is too long');
  if (name.includes('\0')) return no('nul', 'its name holds a NUL byte');
  if (name.includes('\\')) return no('backslash', 'its name holds a backslash');
  if (name.startsWith('/')) return no('absolute-name', 'its name is absolute');
  if (name === '.' || name === './') return { ok: true, segments: [] };
  const inner = name.slice(name.startsWith('./') ? 2 : 0, name.endsWith('/') ? -1 : undefined);
  if (/^[A-Za-z]:/.test(inner)) return no('drive-letter', 'its name starts with a drive letter');
  return checkSegments(inner.split('/'), limits.depth);
}

function checkSegments(segments: readonly ByteName[], depth: number): NameCheck {
  if (segments.length - 1 > depth) return no('too-deep', `it lies deeper than ${depth} directories`);
  for (const segment of segments) {
    if (segment === '..') return no('dot-dot', 'its name leads upwards');
    if (segment === '.' || segment === '') return no('dot', 'its name has an empty part');
    if (segment.length > segmentBytes) return no('name-too-long', 'a part of its name is too long');
  }
  return { ok: true, segments };
}

/**
 * Whether a link at `segments` can only lead to places inside the tree. `..` is accepted at the start of a target alone:
 * there it climbs from the real directory that holds the link. After a name it would climb from wherever that name, if
 * it is a link itself, leads to, which is how chained links escape.
 */
export function staysInside(segments: readonly ByteName[], target: ByteName): boolean {
  if (target === '' || target.startsWith('/') || /[\0\\]/.test(target)) return false;
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const down = parts.findIndex((part) => part !== '..');
  const climbs = down === -1 ? parts.length : down;
  return climbs <= segments.length - 1 && !parts.slice(climbs).includes('..');
}
