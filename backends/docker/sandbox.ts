/** One container. */
import type {
  Cancelable,
  DestroyOptions,
  ExecOptions,
  Process,
  PtyOptions,
  PtyProcess,
  Ref,
  ResourceState,
  Sandbox,
  Stats,
} from '../../src/backend.ts';
import { CaissonError, isCode } from '../../src/errors.ts';
import { Carrier } from './container/carrier.ts';
import { removeDoor } from './container/door.ts';
import { removeContainer, type Inspected } from './container/container.ts';
import { refuse, type Refusing } from './container/refusals.ts';
import type { Engine } from './engine/engine.ts';
import { isPodman } from './engine/facts.ts';
import type { InitProcess } from './container/init-process.ts';
import type { Command, Container } from './exec/start.ts';
import { PipedProcess } from './exec/piped-process.ts';
import { identify } from './container/mounted.ts';
import { ContainerProcesses } from './container/processes.ts';
import { inWords, runIn } from './exec/run.ts';
import { asUser } from './exec/user.ts';
import { toStats } from './container/stats.ts';

export class DockerSandbox implements Sandbox {
  readonly relay = true;
  readonly dropsLate = true;
  readonly ref: Ref;
  readonly state: ResourceState;
  readonly place: Sandbox['place'];
  readonly volumes: readonly string[];
  readonly init?: Process;
  readonly power: NonNullable<Sandbox['power']>;
  readonly stats: NonNullable<Sandbox['stats']>;
  readonly pty: NonNullable<Sandbox['pty']>;
  readonly memory: NonNullable<Sandbox['memory']>;
  readonly carrier?: NonNullable<Sandbox['carrier']>;
  readonly pipes?: NonNullable<Sandbox['pipes']>;
  readonly mounted?: NonNullable<Sandbox['mounted']>;
  readonly processes?: NonNullable<Sandbox['processes']>;
  readonly controls?: NonNullable<Sandbox['controls']>;
  readonly users?: NonNullable<Sandbox['users']>;
  readonly #engine: Engine;
  /** The container that carries its traffic. */
  readonly #door: string | null;
  readonly #container: Container;
  /** Rules of a sandbox with an open network; `null` for any other network. */
  readonly #refusing: (() => Promise<Refusing | null>) | null;
  /** Once they did not reach, they are not tried again. */
  #pipesReach = true;

  constructor(
    engine: Engine,
    inspected: Inspected,
    options: {
      readonly host: string | null;
      readonly init: InitProcess | null;
      readonly sameKernel: boolean;
      /** `null`: nothing can be refused here. */
      readonly refusing: () => Promise<Refusing | null>;
    },
  ) {
    this.#engine = engine;
    this.#door = inspected.door;
    this.#refusing = inspected.network === engine.network.name ? options.refusing : null;
    this.#container = { engine, id: inspected.id, trusted: inspected.trusted };
    this.ref = toRef(inspected.id);
    this.state = inspected.state;
    this.volumes = inspected.volumes;
    this.place = { host: options.host, resource: inspected.id, imageDigest: inspected.imageId };
    if (inspected.door !== null) this.carrier = new Carrier(engine, inspected.door, inspected.id);
    if (options.init) this.init = options.init;
    this.power = { stop: (stop) => this.#stop(stop), start: (start) => this.#start(start) };
    this.memory = { kills: () => engine.events.memoryKills(inspected.id) };
    this.stats = { read: (read) => this.#readStats(read) };
    if (options.sameKernel) {
      this.pipes = { exec: (command, each) => this.#execOverPipes(command, each) };
      this.mounted = { identify: (target) => identify(engine, inspected.id, target) };
      const seen = new ContainerProcesses(engine, inspected);
      this.processes = seen;
      this.controls = seen;
      this.stats = { read: async (read) => (await seen.stats()) ?? (await this.#readStats(read)) };
    }
    this.pty = { exec: (command, pty) => this.#execOnTerminal(command, pty) };
    if (inspected.isRoot) this.users = { as: (user) => asUser(this.#container, user) };
  }

  exec(command: Command, options: ExecOptions): Promise<Process> {
    return runIn(this.#container, command, { ...options, terminal: null });
  }

  async destroy(options: DestroyOptions = {}): Promise<void> {
    if (this.#door !== null) await removeDoor(this.#engine, this.#door);
    await removeContainer(this.#engine, this.#container.id, await this.#sureOfEnd(options));
    this.init?.release();
  }

  /** Docker finishes a removal whose client has gone. Whether Podman does was not tried. */
  async #sureOfEnd({ onSent, ...rest }: DestroyOptions): Promise<DestroyOptions> {
    return onSent === undefined || isPodman(await this.#engine.facts()) ? rest : { ...rest, onSent };
  }

  #execOnTerminal(command: Command, options: PtyOptions): Promise<PtyProcess> {
    const { columns, rows, ...rest } = options;
    return runIn(this.#container, command, { ...rest, stdin: true, terminal: { columns, rows } });
  }

  async #execOverPipes(command: Command, options: ExecOptions): Promise<Process> {
    try {
      const piped = this.#pipesReach ? await PipedProcess.start(this.#container, command, options) : null;
      this.#pipesReach = piped !== null;
      return piped ?? (await this.exec(command, options));
    } catch (error) {
      throw inWords(error);
    }
  }

  /** Nothing in a sandbox gets a grace: core has ended what it wanted to end politely. */
  async #stop(options: Cancelable = {}): Promise<void> {
    await this.#engine.ask({
      what: 'stop the sandbox',
      method: 'POST',
      path: this.#path('stop'),
      query: { t: 0 },
      signal: options.signal,
    });
  }

  async #start(options: Cancelable = {}): Promise<void> {
    await this.#startContainer(options);
    await this.carrier?.restore();
    const refusing = (await this.#refusing?.()) ?? null;
    if (refusing !== null) await this.#refuse(refusing);
  }

  /** It does not run without its rules. */
  async #refuse(refusing: Refusing): Promise<void> {
    try {
      await refuse(this.#engine, this.#container.id, refusing);
    } catch (error) {
      await this.#stop();
      throw error;
    }
  }

  async #startContainer(options: Cancelable): Promise<void> {
    try {
      await this.#askStart(options);
    } catch (error) {
      if (isCode(error, 'failed_precondition'))
        await this.#engine.ask({
          what: 'resume the sandbox',
          method: 'POST',
          path: this.#path('unpause'),
          signal: options.signal,
        });
      else if (isCode(error, 'not_found')) await this.#startWithNetwork(options);
      else throw error;
    }
  }

  /** Not found is the container, or the network it was made with, which is made again under its name. */
  async #startWithNetwork(options: Cancelable): Promise<void> {
    await this.#engine.ask({
      what: 'look at the sandbox',
      method: 'GET',
      path: this.#path('json'),
      signal: options.signal,
    });
    this.#engine.network.forget();
    await this.#engine.network.move(this.#container.id);
    await this.#askStart(options);
  }

  #askStart(options: Cancelable): Promise<unknown> {
    return this.#engine.ask({
      what: 'start the sandbox',
      method: 'POST',
      path: this.#path('start'),
      signal: options.signal,
    });
  }

  async #readStats(options: Cancelable = {}): Promise<Stats> {
    const query = { stream: false, 'one-shot': true };
    return toStats(
      await this.#engine.ask({
        what: 'read what the sandbox uses',
        method: 'GET',
        path: this.#path('stats'),
        query,
        signal: options.signal,
      }),
    );
  }

  #path(verb: string): string {
    return `/containers/${this.#container.id}/${verb}`;
  }
}

export function toRef(container: string): Ref {
  return { v: 1, container };
}

/** Throws `not_found` for what we cannot have made. */
export function fromRef(ref: Ref): string {
  const container = ref['container'];
  if (ref.v === 1 && typeof container === 'string' && /^[0-9a-f]{12,64}$/.test(container)) return container;
  throw new CaissonError('not_found', 'that is no sandbox of the docker backend');
}
