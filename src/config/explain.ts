/** Turns what the schema found into sentences that say where, what was expected, and what may have been meant. */
import type { z } from 'zod';
import type { Path } from './document.ts';
import { nearest } from '../lib/nearest.ts';
import { type Problem, typeName } from './problem.ts';
import { expectationOf, serverSection, single, webhookSection } from './schema.ts';
import { ownerSection } from './schema/owners.ts';
import { registrySection } from './schema/registries.ts';

export interface KeyPosition {
  readonly text: string;
  /** Problems are reported in this order. */
  readonly order: number;
}

/** Sections that hold things by name, each with the same keys. */
const named = {
  mcp_servers: serverSection,
  webhooks: webhookSection,
  owners: ownerSection,
  registries: registrySection,
} as const;

type Sections = Readonly<Record<string, { readonly shape: Readonly<Record<string, unknown>> }>>;

export interface Checked {
  readonly value: unknown;
  /** Those that the value may have. */
  readonly sections: Sections;
  readonly placeOf: (path: Path) => KeyPosition;
  /** A file whose keys are those of a place in the configuration: its own names for them. */
  readonly own?: { readonly keyOf: (path: Path) => Path; readonly keys: readonly string[] };
}

export function explain(issues: readonly z.core.$ZodIssue[], { value, sections, placeOf, own }: Checked): Problem[] {
  const reported = issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: messageOf(issue, value, sections) }];
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: unknownKey(own === undefined ? nearestAt(sections, issue.path, key) : nearest(key, own.keys)),
    }));
  });
  const placed = reported.map(({ path, message }) => ({
    place: placeOf(path),
    key: dotted(own?.keyOf(path) ?? path),
    message,
  }));
  return placed
    .sort((a, b) => a.place.order - b.place.order)
    .map(({ place, key, message }) => ({ at: place.text, key, message }));
}

function keyMessage({ issues, path }: Extract<z.core.$ZodIssue, { readonly code: 'invalid_key' }>): string {
  const own = issues.find(({ code }) => code === 'custom');
  if (own !== undefined) return own.message;
  if (path[0] === 'tasks') return 'expected a task id, or a pattern of one with * and ?';
  return path.includes('registries')
    ? 'expected the host of a registry as image names have it, in lower case, such as ghcr.io or docker.io'
    : 'expected a name of letters, digits, dots, dashes and underscores';
}

function messageOf(issue: z.core.$ZodIssue, value: unknown, sections: Sections): string {
  if (issue.code === 'custom') return issue.message;
  if (issue.code === 'invalid_key') return keyMessage(issue);
  const got = valueAt(value, issue.path);
  const expected = expectationAt(sections, issue.path);
  const hint =
    typeof got === 'string' && /^(yes|no|on|off|true|false)$/i.test(got) && expected === 'true or false'
      ? ', without quotes'
      : '';
  return `expected ${expected}${hint}, ${issue.code === 'invalid_type' ? `got ${typeName(got)}` : `which this ${typeWord(got)} is not`}`;
}

/** Says what the key that holds the path expects; items of lists have the words of their list. */
function expectationAt(sections: Sections, path: Path): string {
  const section = path[0];
  const alone = Object.entries(single).find(([name]) => name === section)?.[1];
  if (alone !== undefined) return expectationOf(alone) ?? 'something else';
  const key = path[0] === 'tasks' || Object.hasOwn(named, path[0] ?? '') ? path[2] : path[1];
  if (key === undefined || section === undefined)
    return path.length === 0 ? 'a mapping of sections' : 'a mapping of keys';
  // The network of a task or an owner has the keys of the section.
  const inNetwork = key === 'network' && path[2] === 'network' ? path[3] : undefined;
  if (inNetwork !== undefined)
    return expectationOf(Reflect.get(sections['network']?.shape ?? {}, inNetwork)) ?? 'something else';
  if (key === 'network' && section === 'tasks') return 'a mapping of mode, allow, deny, ports and presets';
  const shape: unknown = shapeOf(sections, section);
  const schema: unknown = typeof shape === 'object' && shape !== null ? Reflect.get(shape, key) : undefined;
  return expectationOf(schema) ?? 'something else';
}

function shapeOf(sections: Sections, section: PropertyKey): unknown {
  const byName = Object.entries(named).find(([name]) => name === section)?.[1];
  if (byName !== undefined) return byName.shape;
  if (section === 'tasks')
    return {
      ...sections['terminal']?.shape,
      rules: sections['approvals']?.shape['rules'],
      tool_mode: sections['approvals']?.shape['tool_mode'],
    };
  return Object.entries(sections).find(([name]) => name === section)?.[1].shape;
}

function nearestAt(sections: Sections, parent: Path, key: string): string | null {
  return parent.length === 0 ? nearestTop(sections, key) : nearestIn(sections, String(parent[0]), key);
}

function unknownKey(meant: string | null): string {
  return meant === null ? 'there is no such key' : `there is no such key, did you mean ${meant}?`;
}

function nearestTop(sections: Sections, key: string): string | null {
  const inner = Object.entries(sections).find(([, section]) => Object.hasOwn(section.shape, key));
  if (inner !== undefined) return `${inner[0]}.${key}`;
  return nearest(key, [...Object.keys(sections), ...Object.keys(single), ...Object.keys(named), 'tasks']);
}

function nearestIn(sections: Sections, parent: string, key: string): string | null {
  const byName = Object.entries(named).find(([name]) => name === parent)?.[1];
  if (byName !== undefined) return nearest(key, Object.keys(byName.shape));
  const name = parent === 'tasks' ? 'terminal' : parent;
  // Known, but not for a task alone.
  if (parent === 'tasks' && Object.hasOwn(sections['terminal']?.shape ?? {}, key)) return `terminal.${key}`;
  const own = Object.entries(sections).find(([section]) => section === name)?.[1];
  const near = own === undefined ? null : nearest(key, Object.keys(own.shape));
  if (near !== null) return near;
  if (Object.hasOwn(single, key)) return `${key} at the top`;
  const elsewhere = Object.entries(sections).find(([, section]) => Object.hasOwn(section.shape, key));
  return elsewhere === undefined ? null : `${elsewhere[0]}.${key}`;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, part) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, part) : undefined),
    value,
  );
}

function typeWord(value: unknown): string {
  return typeof value === 'object' ? 'value' : typeof value;
}

function dotted(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')
    .slice(0, 200);
}
