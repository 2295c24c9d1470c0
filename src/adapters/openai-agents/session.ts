/** A sandbox as a session of @openai/agents. */
import { CaissonError, isCode } from '../../errors.ts';
import { fromBase64 } from '../base64.ts';
import { isMissing, type Place } from '../place.ts';
import { Commands } from './commands.ts';
import { assertFit, makeDirectories, materialize, unsupported } from './entries.ts';
import { printed } from './printed.ts';
import type {
  DirectoryEntry,
  Editor,
  Entry,
  ExecArgs,
  ExecResult,
  Framework,
  ManifestShape,
  Session,
  State,
  WriteStdinArgs,
} from './types.ts';

/** Most that the API reads at a time. */
const largestRead = 16 * 1024 * 1024;

export class CaissonSession<M extends ManifestShape> implements Session<M> {
  state: State<M>;
  readonly #framework: Framework<M>;
  readonly #place: Place;
  readonly #commands: Commands;

  constructor(framework: Framework<M>, place: Place, state: State<M>) {
    this.state = state;
    this.#framework = framework;
    this.#place = place;
    this.#commands = new Commands(place);
  }

  async start(): Promise<void> {
    await this.#place.api.sandboxes.create(this.#place.request);
  }

  async running(): Promise<boolean> {
    try {
      return (await this.#place.api.sandboxes.get(this.#place.task)).state === 'ready';
    } catch (error) {
      if (isCode(error, 'not_found')) return false;
      throw error;
    }
  }

  /** Ends what runs. The sandbox stays, and stops by itself when it has been idle. */
  async stop(): Promise<void> {
    await this.#commands.end();
  }

  async shutdown(): Promise<void> {
    await this.stop();
  }

  /** Removes the sandbox with its files, unless the program named its task. */
  async delete(): Promise<void> {
    await this.stop();
    if (this.state.owned) await removed(this.#place);
  }

  supportsPty(): boolean {
    return true;
  }

  async exec(args: ExecArgs): Promise<ExecResult> {
    assertUser(args.runAs);
    const cwd = this.#at(args.workdir ?? '.');
    return await this.#commands.start(args, { cwd, env: this.state.environment });
  }

  async execCommand(args: ExecArgs): Promise<string> {
    return printed(await this.exec(args));
  }

  async writeStdin(args: WriteStdinArgs): Promise<string> {
    return printed(await this.#commands.write(args));
  }

  async readFile({ path, runAs, maxBytes }: { path: string; runAs?: string; maxBytes?: number }): Promise<Uint8Array> {
    assertUser(runAs);
    const at = this.#at(path);
    if (maxBytes === undefined || maxBytes > largestRead) return (await this.#place.bytesOf(at)).subarray(0, maxBytes);
    return (await this.#place.api.files.read({ task: this.#place.task, path: at, length: maxBytes })).bytes;
  }

  async listDir({ path, runAs }: { path: string; runAs?: string }): Promise<DirectoryEntry[]> {
    assertUser(runAs);
    const { entries } = await this.#place.api.files.list({ task: this.#place.task, path: this.#at(path) });
    return entries.map(({ name, kind }) => ({
      name,
      path: /^(?:\.|)\/?$/.test(path) ? name : `${path.replace(/\/$/, '')}/${name}`,
      type: kind === 'directory' ? 'dir' : kind === 'file' ? 'file' : 'other',
    }));
  }

  async pathExists(path: string, runAs?: string): Promise<boolean> {
    return (await this.#kindOf(path, runAs)) !== null;
  }

  async directoryExists(path: string, runAs?: string): Promise<boolean> {
    return (await this.#kindOf(path, runAs)) === 'directory';
  }

  async materializeEntry({ path, entry, runAs }: { path: string; entry: Entry; runAs?: string }): Promise<void> {
    assertUser(runAs);
    await materialize(this.#place, { [path]: entry }, (each) => this.#at(each, true));
    this.#merge({ entries: { [path]: entry } });
  }

  async applyManifest(manifest: M, runAs?: string): Promise<void> {
    assertUser(runAs);
    assertFit(manifest);
    await makeDirectories(this.#place, [this.state.manifest.root]);
    await materialize(this.#place, manifest.entries, (path) => this.#at(path, true));
    this.state.environment = { ...this.state.environment, ...(await manifest.resolveEnvironment()) };
    const environment = Object.fromEntries(
      Object.entries(manifest.environment).map(([key, value]) => [key, value.init()]),
    );
    this.#merge({ entries: manifest.entries, environment });
  }

  /** The root as a tar, which `hydrateWorkspace` takes. */
  async persistWorkspace(): Promise<Uint8Array> {
    const { parts } = await this.#place.api.files.archive({ task: this.#place.task, path: this.state.manifest.root });
    return await this.#place.collected(parts, 'the archive of the workspace');
  }

  async hydrateWorkspace(data: string | ArrayBuffer | Uint8Array): Promise<void> {
    const bytes = typeof data === 'string' ? fromBase64(data) : new Uint8Array(data);
    const archive = (async function* () {
      yield bytes;
    })();
    await this.#place.api.files.unpack({ task: this.#place.task, path: this.state.manifest.root, archive });
  }

  async resolveExposedPort(port: number): Promise<never> {
    await Promise.resolve();
    throw new CaissonError('not_supported', `port ${port} of the sandbox cannot be reached from outside`, {
      remedy: 'reach it from a command in the sandbox',
    });
  }

  createEditor(runAs?: string): Editor {
    assertUser(runAs);
    return {
      createFile: async ({ path, diff }) => {
        await this.#write(path, this.#framework.applyDiff('', diff, 'create'), null);
        return { status: 'completed' };
      },
      updateFile: async ({ path, diff, moveTo }) => {
        const { task, api } = this.#place;
        const { bytes, sha256 } = await api.files.read({ task, path: this.#at(path), length: largestRead });
        if (sha256 === null) throw unsupported(`a patch of a file of more than ${largestRead} bytes`);
        const text = this.#framework.applyDiff(new TextDecoder('utf-8', { fatal: true }).decode(bytes), diff);
        const moves = moveTo !== undefined && this.#at(moveTo) !== this.#at(path);
        await this.#write(moves ? moveTo : path, text, moves ? undefined : sha256);
        if (moves) await api.files.remove({ task, path: this.#at(path, true) });
        return { status: 'completed' };
      },
      deleteFile: async ({ path }) => {
        await this.#place.api.files.remove({ task: this.#place.task, path: this.#at(path, true) });
        return { status: 'completed' };
      },
    };
  }

  async #write(path: string, bytes: string, expected: string | null | undefined): Promise<void> {
    const to = { task: this.#place.task, path: this.#at(path, true), bytes };
    await this.#place.api.files.write(expected === undefined ? to : { ...to, expected });
  }

  async #kindOf(path: string, runAs?: string): Promise<string | null> {
    assertUser(runAs);
    try {
      return (await this.#place.api.files.stat({ task: this.#place.task, path: this.#at(path) })).kind;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Throws the framework's error for a path outside of the root and its grants. */
  #at(path: string, forWrite = false): string {
    const { root, extraPathGrants } = this.state.manifest;
    const policy = new this.#framework.WorkspacePathPolicy({ root, extraPathGrants: [...extraPathGrants] });
    return policy.resolve(path, { forWrite }).path;
  }

  #merge(more: { readonly entries?: object; readonly environment?: object }): void {
    const { manifest } = this.state;
    const before = Object.entries(manifest.environment).map(([key, value]) => [key, value.init()] as const);
    this.state.manifest = this.#framework.cloneManifest({
      ...manifest,
      entries: { ...manifest.entries, ...more.entries },
      environment: { ...Object.fromEntries(before), ...more.environment },
    });
  }
}

export async function removed({ api, task }: Pick<Place, 'api' | 'task'>): Promise<void> {
  try {
    await api.sandboxes.remove(task);
  } catch (error) {
    if (!isCode(error, 'not_found')) throw error;
  }
}

function assertUser(runAs: string | undefined): void {
  if (runAs !== undefined && runAs !== '') throw unsupported('another user for a command or a file');
}
