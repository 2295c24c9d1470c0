/** The cluster, opened when it is first used. */
import type { Cancelable, OpenOptions } from '../../src/backend.ts';
import { CaissonError, isCode } from '../../src/errors.ts';
import { remembered } from '../../src/lib/remembered.ts';
import { isRecord } from '../shared/labels.ts';
import { openAccess } from './access.ts';
import { Api } from './api.ts';
import type { Here } from './here.ts';
import type { Facts } from './guarantees.ts';
import { type Proof, Proving } from './proof.ts';
import { Vigil } from './vigil.ts';
import { Namespace } from './namespace.ts';
import { ofInstance } from './records.ts';
import { type Settings, settingsOf } from './settings.ts';
import { untried } from './verdict.ts';

export class Cluster {
  readonly settings: Settings;
  readonly #options: OpenOptions;
  readonly #proving: Proving;
  readonly here = remembered((): Promise<Here> => this.#open());
  readonly facts = remembered((): Promise<Facts> => this.#ask());

  constructor(options: OpenOptions) {
    this.#options = options;
    this.#proving = new Proving(options);
    this.settings = settingsOf(options.settings ?? {});
  }

  async version({ signal }: Cancelable = {}): Promise<string> {
    const { namespace } = await this.here();
    const path = '/version';
    const said = await namespace.api.do({ method: 'GET', path, doing: 'ask the cluster for its version', signal });
    const text: unknown = isRecord(said) ? said['gitVersion'] : null;
    if (typeof text === 'string' && /^v\d+\.\d+/.test(text)) return text.slice(1, 40);
    throw new CaissonError('unavailable', 'what answers is no API server of Kubernetes', {
      remedy: 'see the server in the kubeconfig',
    });
  }

  /** The proof of network policies. `trial`: `known` makes none; `anew` makes one, whatever was shown before. */
  async policies({ trial, ...options }: Cancelable & { readonly trial?: 'known' | 'anew' } = {}): Promise<Proof> {
    if (!this.settings.policyCanary) return { verdict: untried.off, triedAtMs: null };
    const here = await this.here();
    if (trial === 'anew') return await this.#proving.renewed(here, options);
    return trial === 'known' ? this.#proving.lately(here) : await this.#proving.known(here);
  }

  async close(): Promise<void> {
    await this.#proving.close();
    const here = await this.here.current()?.catch(() => null);
    here?.vigil.close();
    here?.namespace.api.close();
    this.here.forget();
    this.facts.forget();
  }

  async #open(): Promise<Here> {
    const access = await openAccess(this.#options, this.settings);
    const { instance, refusals } = this.#options;
    const namespace = new Namespace(new Api(access));
    return {
      namespace,
      settings: this.settings,
      refusals,
      vigil: new Vigil(namespace, ofInstance(instance)),
    };
  }

  async #ask(): Promise<Facts> {
    const [major = 0, minor = 0] = (await this.version()).split('.').map((part) => Number.parseInt(part, 10));
    return { version: [major, minor], runtimeClasses: await this.#runtimeClasses() };
  }

  /** They are the cluster's, so that an account of one namespace may not be allowed to list them. */
  async #runtimeClasses(): Promise<readonly string[] | null> {
    const { namespace } = await this.here();
    const path = '/apis/node.k8s.io/v1/runtimeclasses';
    try {
      const list = await namespace.api.do({ method: 'GET', path, doing: 'list the runtime classes' });
      const items: unknown = isRecord(list) ? list['items'] : [];
      return (Array.isArray(items) ? items : []).flatMap((each: unknown) => nameOf(each));
    } catch (error) {
      if (isCode(error, 'permission_denied') || isCode(error, 'not_found')) return null;
      throw error;
    }
  }
}

function nameOf(object: unknown): readonly string[] {
  const metadata = isRecord(object) ? object['metadata'] : null;
  return isRecord(metadata) && typeof metadata['name'] === 'string' ? [metadata['name']] : [];
}
