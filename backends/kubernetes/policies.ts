/** The two policies of the namespace, made before the first pod that they select. */
import type { Cancelable } from '../../src/backend.ts';
import { isDeepStrictEqual } from 'node:util';
import { fault, isRefusal } from './fault.ts';
import { isRecord } from '../shared/labels.ts';
import type { Here } from './here.ts';
import { policiesOf, type Policy } from './network.ts';

const known = new WeakMap<object, string>();

/** Asked once for each content. */
export async function ensurePolicies(here: Here, options: Cancelable): Promise<void> {
  if (known.get(here.namespace) !== JSON.stringify(policiesOf(here.refusals))) await setPolicies(here, options);
}

/** Asks whatever is known: they may have been changed since. */
export async function setPolicies(here: Here, options: Cancelable): Promise<void> {
  const wanted = policiesOf(here.refusals);
  for (const each of wanted) await ensure(here, each, options);
  known.set(here.namespace, JSON.stringify(wanted));
}

async function ensure({ namespace }: Here, policy: Policy, { signal }: Cancelable): Promise<void> {
  const { api } = namespace;
  const path = `/apis/networking.k8s.io/v1/namespaces/${namespace.name}/networkpolicies`;
  const { name } = policy.metadata;
  try {
    await api.ask({ method: 'POST', path, body: policy, doing: 'create the network policy', signal });
  } catch (error) {
    if (!isRefusal(error, 409)) throw fault(error, 'create the network policy');
    const there = await api.do({ method: 'GET', path: `${path}/${name}`, doing: 'read the network policy', signal });
    if (isRecord(there) && isDeepStrictEqual(there['spec'], policy.spec)) return;
    const body = { spec: policy.spec };
    await api.do({ method: 'PATCH', path: `${path}/${name}`, body, doing: 'change the network policy', signal });
  }
}
