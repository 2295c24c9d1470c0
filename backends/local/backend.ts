/** Commands on this host itself: no isolation, no limits, a filtered environment, and nothing left behind. */
import { platform } from 'node:os';
import { resolve } from 'node:path';
import type {
  Backend,
  Cancelable,
  Check,
  CreateOptions,
  Guarantees,
  Listed,
  ListOptions,
  OpenOptions,
  Ref,
  Sandbox,
  Spec,
} from '../../src/backend.ts';
import { abortError, CaissonError } from '../../src/errors.ts';
import { checkHost } from './check.ts';
import { baseEnvironment } from './environment.ts';
import { endMarked } from './marked.ts';
import { Pipes } from '../shared/pipes.ts';
import { guarantees } from './guarantees.ts';
import { parseRegistration, type Registration } from './registration.ts';
import { throwIfAborted } from '../shared/abort.ts';
import { refuseMore } from '../shared/refuse-more.ts';
import { Registry } from '../shared/registry.ts';
import { LocalSandbox, type LocalShared } from './sandbox.ts';

/** Only opens: looks at nothing and starts nothing. */
export function open(options: OpenOptions): Backend {
  return new LocalBackend(options);
}

class LocalBackend implements Backend {
  readonly name = 'local';
  readonly #place: LocalShared;

  constructor(options: OpenOptions) {
    const temporary = resolve(options.env['TMPDIR'] || '/tmp');
    this.#place = {
      registry: new Registry(temporary, { name: 'local', parse: parseRegistration }),
      pipes: new Pipes(),
      baseEnv: baseEnvironment(options),
    };
  }

  async guarantees(options: Cancelable = {}): Promise<Guarantees> {
    throwIfAborted(options);
    if (platform() === 'linux') return guarantees;
    throw new CaissonError('unavailable', 'the local backend needs Linux with /proc', {
      remedy: 'use the docker or ssh backend on this machine',
    });
  }

  async check(options: Cancelable = {}): Promise<Check> {
    throwIfAborted(options);
    return await checkHost(this.#place.registry.root);
  }

  async create(spec: Spec, options: CreateOptions): Promise<Sandbox> {
    throwIfAborted(options);
    refuseMore(guarantees, spec);
    const { registry } = this.#place;
    const file = registry.file(options.labels.instance, options.name);
    const wanted: Registration = { v: 1, name: options.name, labels: options.labels, state: 'running' };
    const isNew = await registry.insert(file, wanted);
    const sandbox = new LocalSandbox(this.#place, file, isNew ? wanted : await this.#takeOver(file, wanted));
    if (!options.signal?.aborted) return sandbox;
    if (isNew) await sandbox.destroy();
    throw abortError(options.signal);
  }

  async attach(ref: Ref, options: Cancelable = {}): Promise<Sandbox> {
    throwIfAborted(options);
    const { file, sandbox } = ref;
    if (ref.v !== 1 || typeof file !== 'string' || typeof sandbox !== 'string') {
      throw new CaissonError(
        'invalid_argument',
        'this ref is not one of the local backend, or of a newer version of it',
      );
    }
    const registration = await this.#place.registry.read(file);
    if (registration?.labels.sandbox === sandbox) return new LocalSandbox(this.#place, file, registration);
    throw new CaissonError('not_found', `sandbox ${sandbox} is gone`, { details: { sandbox } });
  }

  async list(options: ListOptions): Promise<readonly Listed[]> {
    throwIfAborted(options);
    const found = await this.#place.registry.all(options.instance);
    return found.map(({ file, registration }) => ({
      ref: new LocalSandbox(this.#place, file, registration).ref,
      labels: registration.labels,
      state: registration.state,
    }));
  }

  async close(): Promise<void> {
    this.#place.pipes.close();
  }

  /** The name is taken: by what a lost answer left, by an older spec of the same sandbox, or by another one. */
  async #takeOver(file: string, wanted: Registration): Promise<Registration> {
    const { registry } = this.#place;
    const found = await registry.read(file);
    if (found !== null && found.labels.sandbox !== wanted.labels.sandbox) {
      throw new CaissonError('conflict', `the name ${wanted.name} belongs to sandbox ${found.labels.sandbox}`, {
        remedy: 'choose another name',
      });
    }
    const isSame = found?.labels.fingerprint === wanted.labels.fingerprint;
    if (!isSame) await endMarked(wanted.labels.sandbox);
    const registration: Registration = { ...wanted, labels: isSame ? found.labels : wanted.labels };
    await registry.replace(file, registration);
    return registration;
  }
}
