/** The API under test as the cases use it, and everything that they made through it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunInput, RunResult, SandboxRequest } from '../../src/service/api.ts';
import type { Api } from './api.ts';
import { recording } from './recorder.ts';
import { settings } from './settings.ts';
import type { OpenSubject, Subject } from './subject.ts';

export class Place {
  readonly subject: Subject;
  readonly agent: Api;
  readonly person: Api;
  /** A second client of the same owner. */
  readonly other: Api;
  /** Verbs that were called since the case began. */
  readonly called = new Set<string>();
  /** A task whose sandbox is there, for all cases that leave it as it was. */
  readonly task = 'shared';
  readonly #opened: OpenSubject;
  readonly #connections: readonly Api[];
  readonly #directories: string[] = [];
  #names = 0;

  private constructor(subject: Subject, opened: OpenSubject, connections: readonly [Api, Api, Api]) {
    this.subject = subject;
    this.#opened = opened;
    this.#connections = connections;
    const [agent, person, other] = connections.map((api) => recording(api, (verb) => this.called.add(verb)));
    if (agent === undefined || person === undefined || other === undefined) throw new Error('a connection is missing');
    this.agent = agent;
    this.person = person;
    this.other = other;
  }

  static async open(subject: Subject): Promise<Place> {
    const opened = await subject.open(settings);
    const { connect } = opened;
    const place = new Place(subject, opened, [await connect('agent'), await connect('person'), await connect('other')]);
    await place.agent.sandboxes.create({ taskId: place.task });
    return place;
  }

  /** One more connection, which the case closes. */
  async connect(): Promise<Api> {
    return recording(await this.#opened.connect('other'), (verb) => this.called.add(verb));
  }

  /** Every connection breaks that is open now. Where the API is in this process there are no connections, and the results are the same. */
  cut(): void {
    this.#opened.cut?.();
  }

  /** A name that no other case has. */
  name(before = 'task'): string {
    this.#names += 1;
    return `${before}-${this.#names}`;
  }

  /** A sandbox of its own for one case; answers its task. */
  async fresh(request: Omit<SandboxRequest, 'taskId'> = {}, before = 'task'): Promise<string> {
    const taskId = this.name(before);
    await this.agent.sandboxes.create({ ...request, taskId });
    return taskId;
  }

  /** Shell text in the shared sandbox. */
  async sh(text: string, more: Omit<RunInput, 'command'> = {}): Promise<RunResult> {
    return await this.agent.run({ taskId: this.task, command: ['sh', '-c', text], ...more });
  }

  /** A new directory in the shared sandbox, as its real path. */
  async directory(task = this.task): Promise<string> {
    const make = 'cd "$(mktemp -d /tmp/api-suite-XXXXXX)" && pwd -P';
    const { stdout, stderr } = await this.agent.run({ taskId: task, command: ['sh', '-c', make] });
    const path = stdout.text.trim();
    if (path === '') throw new Error(`no directory was made: ${stderr.text}`);
    if (!this.subject.isContained) this.#directories.push(path);
    return path;
  }

  /** The `seq` of the last event so far. */
  async newest(): Promise<number> {
    const events = await Array.fromAsync(this.agent.events.follow());
    return events.at(-1)?.seq ?? 0;
  }

  /** Whether a process of the shared sandbox runs: it is there, and no zombie. */
  async isAlive(pid: string): Promise<boolean> {
    const { stdout } = await this.sh(`sed -n 's/^State:.//p' /proc/${pid.trim()}/status 2>/dev/null`);
    return stdout.text !== '' && !/^[ZX]/.test(stdout.text);
  }

  /** A new directory on this host. */
  async hostDirectory(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'caisson-api-host-'));
    this.#directories.push(path);
    return path;
  }

  async close(): Promise<void> {
    const { items } = await this.agent.sandboxes.list({ limit: 1000 });
    await Promise.all(items.map(({ id }) => this.agent.sandboxes.remove(id)));
    for (const api of this.#connections) await api.close();
    await this.#opened.close();
    await Promise.all(this.#directories.map((path) => rm(path, { recursive: true, force: true })));
  }
}
