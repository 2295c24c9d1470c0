/** The namespace of the sandboxes: its objects by name, uid and label. */
import { CaissonError } from '../../src/errors.ts';
import type { Api } from './api.ts';
import { fault, isRefusal } from './fault.ts';
import { type Claim, isList, isStored, type List, type Pod } from './objects.ts';
import { everyPage, type Listing } from './pages.ts';
import { pause } from './pause.ts';
import { silentError, staysError } from './silence.ts';
import { hasNoProcess, isReported, isUnresponsive } from './state.ts';

export type Resource = 'pods' | 'persistentvolumeclaims';

export interface Named {
  readonly name: string;
  readonly uid: string;
}

type Waiting = { readonly signal?: AbortSignal | undefined };

const pageSize = '500';
/** Counts objects of one instance and one kind. A list of more would not fit the memory of a service. */
const mostListed = 20_000;
const goneWithinMs = 90_000;
const firstLookMs = 30;
const longestLookMs = 500;
/** The first process ignores SIGTERM, and is killed after so long. 0 would remove the object before the node has ended anything. */
const graceSeconds = 1;

export class Namespace {
  readonly api: Api;
  readonly name: string;
  /** Uids of pods in which commands may run, though the node has not yet reported any process. */
  readonly begun = new Set<string>();

  constructor(api: Api) {
    this.api = api;
    this.name = api.access.place.namespace;
  }

  path(resource: Resource, name?: string): string {
    return `/api/v1/namespaces/${this.name}/${resource}${name === undefined ? '' : `/${name}`}`;
  }

  async pod(name: string, waiting: Waiting = {}): Promise<Pod | null> {
    return await this.#get('pods', name, waiting);
  }

  async claim(name: string, waiting: Waiting = {}): Promise<Claim | null> {
    return await this.#get('persistentvolumeclaims', name, waiting);
  }

  /** `null`: the name is taken. */
  async create(resource: Resource, body: unknown): Promise<Pod | null> {
    try {
      return checked(await this.api.ask({ method: 'POST', path: this.path(resource), body, doing: 'create' }));
    } catch (error) {
      if (isRefusal(error, 409) && error.reason === 'AlreadyExists') return null;
      throw error;
    }
  }

  async patch(resource: Resource, name: string, body: unknown): Promise<void> {
    await this.api.do({
      method: 'PATCH',
      path: this.path(resource, name),
      body,
      doing: 'change the labels of the sandbox',
    });
  }

  /** Idempotent. A namesake of another uid is left alone. */
  async remove(resource: Resource, named: Named, waiting: Waiting = {}): Promise<void> {
    await this.#delete(resource, named, graceSeconds, waiting);
  }

  /** Removes the object of a pod though its node has not said that its processes ended. Idempotent, and by uid as `remove`. */
  async force(named: Named, waiting: Waiting = {}): Promise<void> {
    await this.#delete('pods', named, 0, waiting);
    await this.gone('pods', named, waiting);
  }

  /** Resolves when the object is gone: a node that hangs keeps a pod and its volume until an operator forces it. */
  async gone(resource: Resource, { name, uid }: Named, waiting: Waiting = {}): Promise<void> {
    const begun = performance.now();
    for (let waitMs = firstLookMs; ; waitMs = Math.min(longestLookMs, waitMs * 1.5)) {
      const there = await this.#get(resource, name, waiting);
      if (there === null || there.metadata?.uid !== uid) return void this.begun.delete(uid);
      if (resource === 'pods' && this.#hasNoProcess(there, performance.now() - begun))
        // Some kubelets keep the object for up to a minute after its last process has ended.
        await this.#delete(resource, { name, uid }, 0, waiting);
      else if (resource === 'pods' && isUnresponsive(there)) throw silentError(name);
      if (performance.now() - begun > goneWithinMs) throw staysError(name, goneWithinMs / 1000);
      await pause(waitMs, waiting.signal);
    }
  }

  async list(resource: Resource, selector: string, waiting: Waiting = {}): Promise<readonly Pod[]> {
    return (await this.listAt(resource, selector, waiting)).items;
  }

  async listAt(resource: Resource, selector: string, { signal }: Waiting): Promise<Listing> {
    const page = async (next: string): Promise<List> => {
      const query = { labelSelector: selector, limit: pageSize, ...(next === '' ? {} : { continue: next }) };
      const asking = { path: this.path(resource), query, doing: 'list the sandboxes', signal };
      const answer = await this.api.do({ method: 'GET', ...asking });
      if (!isList(answer)) throw noObject();
      return answer;
    };
    return await everyPage(page, mostListed);
  }

  #hasNoProcess(pod: Pod, waitedMs: number): boolean {
    const isUnreported = this.begun.has(pod.metadata?.uid ?? '') && !isReported(pod);
    return !isUnreported && hasNoProcess(pod, waitedMs);
  }

  async #delete(resource: Resource, { name, uid }: Named, ...[grace, waiting]: [number, Waiting]): Promise<void> {
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } };
    const body = resource === 'pods' ? { ...options, gracePeriodSeconds: grace } : options;
    try {
      await this.api.ask({ method: 'DELETE', path: this.path(resource, name), body, doing: 'delete', ...waiting });
    } catch (error) {
      if (!isRefusal(error, 404) && !isRefusal(error, 409)) throw fault(error, 'delete the sandbox');
    }
  }

  async #get(resource: Resource, name: string, { signal }: Waiting): Promise<Pod | null> {
    try {
      return checked(await this.api.ask({ method: 'GET', path: this.path(resource, name), doing: 'find', signal }));
    } catch (error) {
      if (isRefusal(error, 404)) return null;
      throw fault(error, 'find the sandbox');
    }
  }
}

export function identityOf({ metadata }: Claim): Named {
  const { name, uid } = metadata ?? {};
  if (name === undefined || uid === undefined)
    throw new CaissonError('internal', 'an object of the cluster has no uid');
  return { name, uid };
}

function checked(answer: unknown): Pod {
  if (isStored(answer)) return answer;
  throw noObject();
}

function noObject(): CaissonError {
  return new CaissonError('internal', 'the API server answered with something other than objects of Kubernetes');
}
