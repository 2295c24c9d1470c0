/**
 * Switches of the environment: `CAISSON_TERMINAL_TIMEOUT` for `terminal.timeout`, one for every key with a single value.
 * A variable that looks like one and is not is an error, since its author expects it to work.
 */
import { isSection } from './layer.ts';
import { distance, nearest } from '../lib/nearest.ts';
import { configError, type Problem } from './problem.ts';
import type { SectionName, Settings } from './types.ts';

export interface Switch {
  readonly variable: string;
  readonly section: SectionName;
  readonly key: string;
  readonly text: string;
}

interface SwitchKey {
  readonly section: SectionName;
  readonly key: string;
  readonly single: boolean;
}

type Switches = ReadonlyMap<string, SwitchKey>;

export const buildSwitches = (defaults: Settings): Switches =>
  new Map(
    Object.entries(defaults).flatMap(([section, keys]: [string, object]) =>
      isSection(section)
        ? Object.entries(keys).map(
            ([key, value]: [string, unknown]) =>
              [
                `CAISSON_${section}_${key}`.toUpperCase(),
                { section, key, single: value === null || typeof value !== 'object' },
              ] as const,
          )
        : [],
    ),
  );

const otherNames = new Set([
  'CAISSON_HOME',
  'CAISSON_EMBEDDED',
  'CAISSON_EXEC',
  'CAISSON_SANDBOX',
  'CAISSON_YOLO_MODE',
  'CAISSON_CRON_SESSION',
  'CAISSON_SINGLE_QUERY_SESSION',
  'CAISSON_EXEC_ASK',
]);
const otherPrefixes = ['CAISSON_REQUIRE_', 'CAISSON_TEST_', 'CAISSON_DEBUG', 'CAISSON_TIMING', 'CAISSON_NO_'];

/** An empty variable counts as unset. Throws `invalid_argument` naming all variables that mean nothing. */
export function findSwitches(env: Readonly<Record<string, string | undefined>>, defaults: Settings): readonly Switch[] {
  const set = Object.entries(env).filter(
    ([name, text]) => name.startsWith('CAISSON_') && text !== undefined && text !== '',
  );
  if (set.length === 0) return [];
  const known = buildSwitches(defaults);
  const problems = set.flatMap(([name]) => problemWith(known, name));
  if (problems.length > 0) throw configError(problems);
  return set.flatMap(([variable, text]) => {
    const key = known.get(variable);
    return key === undefined || text === undefined ? [] : [{ variable, text, section: key.section, key: key.key }];
  });
}

function problemWith(known: Switches, name: string): Problem[] {
  const key = known.get(name);
  if (key !== undefined)
    return key.single
      ? []
      : [{ at: name, key: '', message: `${key.section}.${key.key} holds several values, which only the file can do` }];
  if (otherNames.has(name) || otherPrefixes.some((prefix) => name.startsWith(prefix)) || !looksLikeKey(known, name))
    return [];
  const meant = sameKey(known, name) ?? nearest(name, known.keys());
  return [
    {
      at: name,
      key: '',
      message: meant === null ? 'there is no such setting' : `there is no such setting, did you mean ${meant}?`,
    },
  ];
}

/** Whether the variable is a key, or close enough to one that its author may mean it: `CAISSON_URL` is not. */
export function mayBeSwitch(name: string, defaults: Settings): boolean {
  return name.startsWith('CAISSON_') && looksLikeKey(buildSwitches(defaults), name);
}

function looksLikeKey(known: Switches, name: string): boolean {
  const inSection = [...known.values()].some(({ section }) => name.startsWith(`CAISSON_${section.toUpperCase()}_`));
  return inSection || sameKey(known, name) !== null || [...known.keys()].some((each) => distance(name, each) <= 3);
}

/** `CAISSON_DOCKER_IMAGE`, with the section forgotten. */
function sameKey(known: Switches, name: string): string | null {
  const key = name.slice('CAISSON_'.length).toLowerCase();
  return [...known].find(([, each]) => each.key === key)?.[0] ?? null;
}

/** What the text may mean, best first: the type of the key decides which one counts. */
export function readings(text: string): readonly unknown[] {
  const words = new Map<string, unknown>([
    ['true', true],
    ['false', false],
    ['null', null],
  ]);
  const word = words.has(text) ? [words.get(text)] : [];
  const number = /^-?\d{1,15}(\.\d{1,6})?$/.test(text) ? [Number(text)] : [];
  return [...word, ...number, text];
}
