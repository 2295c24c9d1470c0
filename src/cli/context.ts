/** What every command is given: the service, ways to write, and the wish to stop. */
import { resolve } from 'node:path';
import type { CaissonApi, ConfigFile, Options as ServiceOptions, SettingsApi } from '../service/api.ts';
import { CaissonError, toCaissonError } from '../errors.ts';
import type { Approver } from '../guard/types.ts';
import type { RuleTexts } from '../policy/types.ts';
import { approverOn } from './approver.ts';
import { escapeLine } from './escape.ts';
import { watchInterrupts } from './interrupt.ts';
import { toJson } from './json.ts';
import type { GivenOptions } from './option.ts';
import { paintFor, type Paint } from './paint.ts';
import { statusOn } from './status.ts';
import { type Head, table } from './table.ts';
import { screenWidth } from './screen.ts';
import { stepTimes } from './timing.ts';
import { readChoice } from './values.ts';
import { given as defined } from '../lib/given.ts';
import { asksElsewhere } from '../values/asks-elsewhere.ts';
import type { CommandApi, Opening, ServiceLine, World } from './world.ts';

export interface Context {
  readonly world: World;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly colourRefused: boolean;
  readonly paint: Paint;
  /** Fires when the caller wants to stop. */
  readonly signal: AbortSignal;
  /** The exit code that an interruption asks for; `null` while there was none. */
  readonly interrupted: () => number | null;
  /** Has SIGHUP do that, instead of ending the command. */
  readonly onHangup: (act: () => void) => void;
  /** To be passed to every call of the service. */
  readonly options: ServiceOptions;
  /** Opens it when first asked. */
  readonly service: () => Promise<CommandApi>;
  /** For what no service does: it reads or writes what the caller alone has. */
  readonly local: () => Promise<CaissonApi>;
  /** The state directory, which need not be there. */
  readonly home: () => Promise<string>;
  /** For commands that need the configuration alone. */
  readonly settings: () => Promise<SettingsApi>;
  /** The configuration file, whether it loads or not. */
  readonly configFile: () => Promise<ConfigFile>;
  /** The state directory, where questions are answered from elsewhere. */
  readonly remote: () => Promise<CaissonApi>;
  /** The state directory, opened so that this approver is asked and relative paths start at this directory. */
  readonly asking: (approver: Approver, cwd: string) => Promise<CaissonApi>;
  /** The service that runs, if one does; its client is closed with the context. */
  readonly line: () => Promise<ServiceLine | null>;
  /** To stdout, as it is; resolves when it is written. */
  readonly print: (text: string | Uint8Array) => Promise<void>;
  readonly printJson: (value: unknown) => Promise<void>;
  readonly printTable: (head: Head, rows: readonly (readonly string[])[]) => Promise<void>;
  /** One line to stderr, escaped. */
  readonly say: (text: string) => void;
  /** `say`, unless --quiet or JSON is asked for. */
  readonly notice: (text: string) => void;
  /** Whether lines of `say` bring the carriage return that the terminal does not add: see `termios.ts`. */
  readonly startLinesByHand: (on: boolean) => void;
  /** A line on a terminal that moves until something else is written. */
  readonly showWaiting: (what: string) => void;
  /** Takes the progress line away before streams are passed through. */
  readonly clearStatus: () => void;
  /** Gives everything back. Never throws: what fails is said. */
  readonly close: () => Promise<void>;
}

export async function openContext(given: GivenOptions, world: World): Promise<Context> {
  const json = readForm(given);
  const quiet = given.flag('quiet');
  const colourRefused = given.flag('no-color');
  // A program that reads stderr finds nothing there but an error as JSON.
  const status = statusOn(world, quiet || (json && world.stderr.isTTY !== true));
  const paint = await paintFor({ env: world.env, terminal: world.stdout.isTTY === true, refused: colourRefused });
  let lineEnd = '\n';
  const say = (text: string): void => {
    status.clear();
    world.stderr.write(`caisson: ${escapeLine(text)}${lineEnd}`);
  };
  const interrupts = watchInterrupts(world, say);
  const notice = (text: string): void => (quiet || json ? undefined : say(text));
  const times = stepTimes(world.env);
  const timed = times === null ? {} : { onTimed: times.onTimed };
  const service = opener(given, { world, notice, clear: status.clear, timed });
  const question = askedElsewhere(world, say);
  const options = { signal: interrupts.signal, onProgress: status.update, ...timed, ...defined({ question }) };
  const print = (text: string | Uint8Array): Promise<void> => {
    status.clear();
    return written(world, text);
  };
  return {
    world,
    json,
    quiet,
    colourRefused,
    paint,
    signal: interrupts.signal,
    interrupted: interrupts.exitCode,
    onHangup: interrupts.onHangup,
    options,
    service: service.open,
    local: service.local,
    home: () => homeOf(given, world),
    settings: service.settings,
    configFile: service.configFile,
    remote: service.remote,
    asking: service.asking,
    line: service.line,
    print,
    printJson: (value) => print(`${toJson(value, world.stdout.isTTY === true ? 2 : 0)}\n`),
    printTable: (head, rows) => print(table(head, rows, { paint, width: screenWidth(world) })),
    say,
    notice,
    startLinesByHand: (on) => {
      lineEnd = on && world.stderr.isTTY === true ? '\r\n' : '\n';
    },
    showWaiting: status.wait,
    clearStatus: status.clear,
    close: async () => {
      await service.close().catch((error: unknown) => say(`while closing: ${toCaissonError(error).message}`));
      if (times !== null) say(`timing: ${times.line()}`);
      status.clear();
      interrupts.stop();
    },
  };
}

/** Says which question waits, where a person answers from elsewhere. */
function askedElsewhere({ env, stderr, stdin }: World, say: Context['say']): ServiceOptions['question'] {
  if (!asksElsewhere(env) || (stderr.isTTY === true && stdin.isTTY === true)) return undefined;
  return { onAsked: (id) => say(`the command waits for an answer: caisson approvals approve ${id}, or deny`) };
}

/** Loaded on use: the help of a command needs none. */
async function homeOf(given: GivenOptions, { env, cwd }: World): Promise<string> {
  const named = given.text('home');
  return named === undefined ? (await import('../lib/find-home.ts')).findHome(env, cwd) : resolve(cwd, named);
}

function readForm(given: GivenOptions): boolean {
  const form = given.text('output');
  if (form === undefined) return given.flag('json');
  if (given.flag('json'))
    throw new CaissonError('invalid_argument', '--json and --output are both given', { remedy: 'give one of them' });
  return readChoice('--output', form, ['table', 'json']) === 'json';
}

interface Opener {
  readonly open: () => Promise<CommandApi>;
  readonly local: () => Promise<CaissonApi>;
  readonly settings: () => Promise<SettingsApi>;
  readonly configFile: Context['configFile'];
  readonly remote: () => Promise<CaissonApi>;
  readonly asking: Context['asking'];
  readonly line: Context['line'];
  readonly close: () => Promise<void>;
}

interface ContextInput {
  readonly world: World;
  readonly notice: (text: string) => void;
  readonly clear: () => void;
  readonly timed: Pick<Opening, 'onTimed'>;
}

function opener(given: GivenOptions, { world, notice, clear, timed }: ContextInput): Opener {
  const home = given.text('home');
  let opened: Promise<CommandApi> | null = null;
  let local: Promise<CaissonApi> | null = null;
  let line: ReturnType<Context['line']> | null = null;
  let file: Promise<ConfigFile> | null = null;
  const opening = (approver: Approver | 'queue' | null, cwd = world.cwd): Opening => {
    return {
      ...(home === undefined ? {} : { home }),
      ...(approver === null ? {} : { approver }),
      yolo: given.flag('yolo'),
      embedded: given.flag('embedded'),
      confirms: given.flag('confirmed'),
      onNotice: notice,
      ...timed,
      ...rulesOf(given),
      env: world.env,
      cwd,
    };
  };
  const noticed = <Opened extends Noticing>(opened: Opened): Opened => {
    for (const text of opened.config.notices) notice(text);
    return opened;
  };
  const openLocal = (approver: Approver | 'queue' | null, cwd?: string): Promise<CaissonApi> =>
    (local ??= world.embedded(opening(approver, cwd)).then(noticed));
  return {
    open: () => (opened ??= world.open(opening(approverOn(world, clear))).then(noticed)),
    local: () => openLocal(approverOn(world, clear)),
    remote: () => openLocal('queue'),
    asking: openLocal,
    line: () => (line ??= world.line(opening('queue'))),
    settings: async () => noticed(await world.settings(opening(null))),
    configFile: () => (file ??= world.configFile(opening(null))),
    close: async () => {
      // What did not open has been reported to its caller.
      for (const opening of [opened, local]) {
        const service = await opening?.catch(() => null);
        await service?.close({ awaitRemovals: false, onWaiting: (what) => notice(`waiting for ${what.join(', ')}`) });
      }
      await (await line?.catch(() => null))?.client.close();
    },
  };
}

interface Noticing {
  readonly config: Pick<SettingsApi['config'], 'notices'>;
}

/** Rules of this call, beside those of the configuration. */
function rulesOf(given: GivenOptions): { readonly rules?: RuleTexts } {
  const rules = { allow: given.list('allow'), ask: given.list('ask'), deny: given.list('deny') };
  return Object.values(rules).every((texts) => texts.length === 0) ? {} : { rules };
}

/** An error of the stream is seen by its own listener; here it only ends the wait. */
function written({ stdout }: World, text: string | Uint8Array): Promise<void> {
  if (stdout.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    stdout.write(text, () => resolve());
  });
}
