/**
 * The second pass: secrets that were not declared, known by their form.
 *
 * One automaton finds the places at which something may begin; a rule then decides about each by a look of bounded
 * length around it, and what is decided to be a secret is eaten byte by byte. So the work is linear in the text, however
 * it was made, and `work` counts it.
 */
import { type Automaton, buildAutomaton } from './automaton.ts';
import { alphanumeric, type ByteClass, has } from './bytes.ts';
import { assignment } from './rules/assignment.ts';
import { bearerToken } from './rules/authorization.ts';
import { type Eat, type RuleMatch, lookAhead, lookBehind, type Rule, type Text } from './rules/rule.ts';
import { encodedAssignment } from './rules/encoded.ts';
import { privateKey, puttyKey } from './rules/private-key.ts';
import {
  addressPassword,
  beforeAddress,
  beforePhone,
  botToken,
  digit,
  dottedToken,
  pgpass,
  phoneNumber,
  schemelessPassword,
  webToken,
} from './rules/shapes.ts';
import { beforeDefinition, beforeOption, defined, element, listed, option, spokenValue } from './rules/spoken.ts';
import { vendorTriggers, vendorTriggersWithin } from './rules/vendor.ts';
import { Scan } from './scan.ts';
import type { Pass, Piece } from './seen.ts';
import type { Tally } from './tally.ts';

/** The class is of the bytes before which a rule decides anything; any, where there is none. */
type Trigger = readonly [string, Rule, ByteClass?];

/** What they begin is replaced with them, so that they wait until they are complete. */
const wholes: readonly Trigger[] = [...vendorTriggers, ['eyJ', webToken], ['+', phoneNumber, beforePhone]];

const triggers: readonly Trigger[] = [
  ...wholes,
  ...vendorTriggersWithin,
  ['=', assignment],
  [':', assignment],
  ['\xef\xbc\x9a', assignment], // a colon as wide as Chinese characters
  ...['%3D', '%3d', '%3A', '%3a'].map((sign) => [sign, encodedAssignment] as const),
  ['-', option, beforeOption],
  ['",', listed],
  ["',", listed],
  ['>', element],
  ...['assword ', 'ASSWORD ', 'requirepass ', 'masterauth ', 'IDENTIFIED BY ', 'identified by '].map(
    (word) => [word, spokenValue] as const,
  ),
  ...['ENV ', 'setenv ', 'set -x ', 'set -gx '].map((word) => [word, defined, beforeDefinition] as const),
  ['bindpw ', spokenValue],
  ['Bearer ', bearerToken],
  ['bearer ', bearerToken],
  ['BEARER ', bearerToken],
  ['Bearer%20', bearerToken],
  ['PRIVATE KEY-----', privateKey],
  ['PRIVATE KEY BLOCK-----', privateKey],
  ['PRIVATE KEY ----', privateKey],
  ['Private-Lines: ', puttyKey],
  ['://', addressPassword],
  ['//', schemelessPassword, beforeAddress],
  ...[':5432:', ':5433:', ':6432:', ':*:'].map((port) => [port, pgpass] as const),
  [':', botToken, digit],
  ['.', dottedToken, alphanumeric],
];

/** How much of a chunk is joined to what was before it; at least `lookBehind`. */
const seamBytes = 2 * lookBehind;

const rules = triggers.map(([literal, rule, before = null]) => ({ length: literal.length, rule, before }));

let shared: Automaton | null = null;

function automaton(): Automaton {
  shared ??= buildAutomaton(
    triggers.map(([literal]) => Buffer.from(literal, 'latin1')),
    (which) => which < wholes.length,
  );
  return shared;
}

interface Step {
  readonly found: RuleMatch;
  /** Index of the last byte of its trigger. */
  readonly last: number;
}

export class PatternPass implements Pass {
  readonly #places = new Scan(automaton());
  readonly #tally: Tally;
  readonly #strict: boolean;
  /** What was read and may be looked back at, then what is held. */
  #buffer: Buffer = Buffer.alloc(0);
  /** In `#buffer`: up to here it has gone on, or was replaced. */
  #emitted = 0;
  /** In `#buffer`: triggers that end before it are decided. */
  #decided = 0;
  #floor = 0;
  #eating: Eat | null = null;
  #pieces: Piece[] = [];
  /** Offset in the stream at which `#buffer` begins. */
  #base = 0;
  /** Bytes looked at, again and again included. */
  work = 0;

  constructor(tally: Tally, { strict = false }: { readonly strict?: boolean } = {}) {
    this.#tally = tally;
    this.#strict = strict;
  }

  get idle(): boolean {
    return this.#eating === null && this.#holdsNothing;
  }

  /**
   * Only the seam is copied. A chunk of which nothing is held behind it is read where it is, since copies of all that a
   * command prints would be most of what its output costs.
   */
  write(chunk: Buffer): readonly Piece[] {
    this.#forget();
    const before = this.#buffer.length;
    const seam = before === 0 ? chunk : chunk.subarray(0, seamBytes);
    this.#buffer = before === 0 ? chunk : Buffer.concat([this.#buffer, seam]);
    const pieces = this.#advance(false);
    if (seam.length === chunk.length) return pieces;
    if (this.#holdsNothing) this.#moveTo(chunk, before);
    else this.#buffer = Buffer.concat([this.#buffer, chunk.subarray(seam.length)]);
    return [...pieces, ...this.#advance(false)];
  }

  get #holdsNothing(): boolean {
    return this.#emitted === this.#buffer.length && this.#decided === this.#buffer.length;
  }

  /** To the chunk itself, of which the buffer has the beginning after `before` bytes. */
  #moveTo(chunk: Buffer, before: number): void {
    this.#buffer = chunk;
    this.#base += before;
    this.#emitted -= before;
    this.#decided -= before;
    this.#floor = Math.max(0, this.#floor - before);
  }

  get settled(): number {
    return this.#base + this.#emitted;
  }

  /** What waits for a value that has not begun stays undecided: nothing of it is held. */
  release(): readonly Piece[] {
    return this.#emitted < this.#buffer.length ? this.#advance(true) : [];
  }

  end(): readonly Piece[] {
    return this.#advance(true);
  }

  /** Keeps what rules may still look back at. */
  #forget(): void {
    const from = Math.max(this.#floor, Math.min(this.#emitted, this.#decided) - lookBehind);
    this.#buffer = this.#buffer.subarray(from);
    this.#base += from;
    this.#emitted -= from;
    this.#decided -= from;
    this.#floor = 0;
  }

  #advance(final: boolean): readonly Piece[] {
    while (this.#eat()) {
      const step = this.#scan(final);
      if (step === null) break;
      if ('openFrom' in step.found) {
        this.#decided = step.last;
        this.#emit(step.found.openFrom);
        break;
      }
      this.#emit(step.found.from);
      const { from, kind, eatFrom = from } = step.found;
      this.#pieces.push({ bytes: this.#tally.placeholder(kind), from: this.#base + from, replaces: true });
      this.#emitted = eatFrom;
      this.#eating = step.found.eat;
    }
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  /** Drops the bytes of the secret that is being eaten. False: there are no others left. */
  #eat(): boolean {
    if (this.#eating === null) return true;
    const end = this.#eating(this.#buffer, this.#emitted);
    this.work += end - this.#emitted;
    this.#emitted = end;
    this.#decided = end;
    this.#floor = end;
    if (end >= this.#buffer.length) return false;
    this.#eating = null;
    return true;
  }

  /** The first place from which on something is replaced or waits. `null`: all was seen, and what may begin is held. */
  #scan(final: boolean): Step | null {
    const buffer = this.#buffer;
    const text: Text = { buffer, floor: this.#floor, final, strict: this.#strict };
    // A trigger may have begun before what is decided.
    const from = Math.max(this.#floor, this.#decided - lookBehind);
    const places = this.#places;
    places.restart(buffer, from);
    let first: Step | null = null;
    while (places.next()) {
      const last = places.index - 1;
      if (first !== null && last >= placeOf(first)) break;
      if (last < this.#decided || isWithinLine(buffer, last)) continue;
      const step = this.#judge(text, last, places.found);
      // Between a trigger and its secret another one may stand: a token in the name of an option.
      if (step !== null && (first === null || placeOf(step) < placeOf(first))) first = step;
    }
    this.work += places.index - from;
    if (first !== null) return first;
    this.#decided = buffer.length;
    this.#emit(final ? buffer.length : buffer.length - places.open);
    return null;
  }

  #judge(text: Text, last: number, which: readonly number[]): Step | null {
    for (const each of which) {
      const trigger = rules[each];
      if (trigger === undefined) continue;
      const at = last + 1 - trigger.length;
      if (trigger.before !== null && at > text.floor && !has(trigger.before, text.buffer[at - 1])) continue;
      this.work += lookAhead;
      const found = trigger.rule(text, at, last + 1);
      if (found !== null && !('from' in found && found.from < this.#emitted)) return { found, last };
    }
    return null;
  }

  #emit(to: number): void {
    if (to > this.#emitted)
      this.#pieces.push({
        bytes: this.#buffer.subarray(this.#emitted, to),
        from: this.#base + this.#emitted,
        replaces: false,
      });
    this.#emitted = Math.max(this.#emitted, to);
  }
}

/** Offset at which the secret of a step begins, or the bytes that wait. */
function placeOf({ found }: Step): number {
  return 'openFrom' in found ? found.openFrom : found.from;
}

/** `====` and `::::` are lines of a table or a heading: no rule begins in the middle of one. */
function isWithinLine(buffer: Buffer, at: number): boolean {
  const byte = buffer[at];
  return (byte === 0x3d || byte === 0x3a) && buffer[at - 1] === byte && buffer[at + 1] === byte;
}
