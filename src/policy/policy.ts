/** The command policy, opened: settings and grammar together. */
import { analyse, analyseArgv, type Reader } from '../shell/analyse.ts';
import { folded, withoutAnsi } from '../shell/bytes.ts';
import { type Analysis, hole, type CommandContext } from '../shell/types.ts';
import { loadGrammar, type Parse } from '../shell/grammar/load.ts';
import { commandOf, decideProgram, type Program } from './code.ts';
import { judge, strictest } from './judge.ts';
import { writesOf } from '../shell/writes.ts';
import { proposeRules } from './permission/propose.ts';
import { DecisionTime } from '../shell/time.ts';
import { settingsOf, type Settings, type SettingsInput } from './settings.ts';
import type { Decision, Reach } from './types.ts';

export interface DecideInput extends CommandContext {
  /** Text for a shell, or a program with its arguments. */
  readonly command: string | readonly [string, ...string[]];
  readonly reach: Reach;
}

type ReadInput = Omit<DecideInput, 'reach'>;

export type DecideCodeInput = Program & CommandContext & { readonly reach: Reach };

export interface Written {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

export interface Policy {
  readonly settings: Settings;
  decide(input: DecideInput): Decision;
  /** Judges the text of a program that runs from a file of its own. */
  decideCode(input: DecideCodeInput): Decision;
  /** Files that it writes, as far as their paths are known before: absolute, or from `~` on. */
  writes(input: ReadInput): readonly Written[];
  /** Names by which it calls programs, as far as they are known before. */
  called(input: ReadInput): readonly string[];
  /** Rules that an approval could save; `null` when only this one time can be approved. */
  propose(input: ReadInput): readonly string[] | null;
}

/** Loads the grammar on first use. Throws `invalid_argument` for a rule that does not parse. */
export async function openPolicy(input: SettingsInput = {}): Promise<Policy> {
  const settings = settingsOf(input);
  return policyOn(settings, await loadGrammar());
}

/** `parse` null: without the grammar everything is asked for, or refused. */
export function policyOn(settings: Settings, parse: Parse | null): Policy {
  const reader = (): Reader => ({ parse, time: new DecisionTime() });
  return {
    settings,
    decide: (input) => decide(input, settings, reader()),
    decideCode: ({ language, text, ...place }) =>
      strictest([
        decide({ ...place, command: commandOf(language, text) }, settings, reader()),
        decideProgram({ language, text }, settings),
      ]),
    called: ({ command, ...place }) => [
      ...new Set(
        read(command, place, reader()).commands.flatMap(({ words: [first] }) =>
          first === undefined || /[\0\u0001]/.test(first.text) ? [] : [first.text],
        ),
      ),
    ],
    writes: ({ command, ...place }) =>
      read(command, place, reader()).commands.flatMap((each) =>
        writesOf(each).flatMap(({ path }) =>
          path === null || path.includes(hole) ? [] : [{ path, start: each.start, end: each.end }],
        ),
      ),
    propose: ({ command, ...place }) => proposeRules(read(command, place, reader())),
  };
}

/** All readings of the command share the time of the reader. */
function decide({ command, reach, ...place }: DecideInput, settings: Settings, reader: Reader): Decision {
  const decision = judge(read(command, place, reader), settings, reach);
  if (typeof command !== 'string' || decision.verdict === 'deny') return decision;
  const others = viewsOf(command, (view) => read(view, place, reader)).map((view) => judge(view, settings, reach));
  const whole = { start: 0, end: command.length };
  const placed = others.map(({ findings, ...other }) => ({
    ...other,
    findings: decision.verdict === other.verdict ? [] : findings.map((finding) => ({ ...finding, ...whole })),
  }));
  return strictest([decision, ...placed]);
}

/** What a careless reader, or another shell, would take it for. */
function viewsOf(command: string, analysed: (view: string) => Analysis): readonly Analysis[] {
  const careless = folded(command);
  const plain = withoutAnsi(command);
  const views = careless === null ? [] : [analysed(careless)];
  if (plain === null) return views;
  const other = analysed(plain);
  // What does not parse so does not run so: only what can be seen in it counts.
  const broken = other.notes.some(({ rule }) => rule === 'U1');
  return [...views, broken ? { ...other, notes: [] } : other];
}

interface Recent {
  readonly parse: Parse | null;
  /** A copy: the caller may change its own. */
  readonly command: string | readonly string[];
  readonly place: CommandContext;
  readonly analysis: Analysis;
}

/** The steps of the gate ask about the same command one after the other: it is read once. */
let recent: Recent | null = null;

function read(command: DecideInput['command'], place: CommandContext, reader: Reader): Analysis {
  const { parse, time } = reader;
  if (recent?.parse === parse && isSameCommand(recent.command, command) && isSame(recent.place, place))
    return recent.analysis;
  const analysis = typeof command === 'string' ? analyse(command, place, reader) : analyseArgv(command, place, reader);
  // What a busy host could not read in time may be read the next time.
  const isWhole = !time.wasCut && !analysis.notes.some(({ rule }) => rule === 'U7' || rule === 'U8');
  const kept = typeof command === 'string' ? command : [...command];
  recent = isWhole ? { parse, command: kept, place, analysis } : null;
  return analysis;
}

function isSameCommand(one: Recent['command'], other: Recent['command']): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  return one.length === other.length && one.every((word, at) => word === other[at]);
}

function isSame(one: CommandContext, other: CommandContext): boolean {
  return (
    one.cwd === other.cwd &&
    one.home === other.home &&
    (one.stdin ?? false) === (other.stdin ?? false) &&
    one.definitions === other.definitions &&
    one.environment === other.environment &&
    (one.unclear ?? false) === (other.unclear ?? false)
  );
}
