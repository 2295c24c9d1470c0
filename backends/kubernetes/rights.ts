/** The rights that this backend needs in its namespace, and which of them are missing. */
import type { Cancelable } from '../../src/backend.ts';
import { isRecord } from '../shared/labels.ts';
import type { Namespace } from './namespace.ts';

export interface Right {
  readonly verb: string;
  /** Name with the subresource: `pods/exec`. */
  readonly resource: string;
  readonly group: string;
}

const core = (resource: string, ...verbs: readonly string[]): readonly Right[] =>
  verbs.map((verb) => ({ verb, resource, group: '' }));

/** WebSockets are authorised as `get`, and by newer servers as `create` too. */
export const needed: readonly Right[] = [
  ...core('pods', 'create', 'get', 'list', 'watch', 'delete'),
  ...core('pods/exec', 'get', 'create'),
  ...core('pods/attach', 'get', 'create'),
  ...core('persistentvolumeclaims', 'create', 'get', 'list', 'delete', 'patch'),
  ...['create', 'get', 'patch'].map((verb) => ({
    verb,
    resource: 'networkpolicies',
    group: 'networking.k8s.io',
  })),
];

export async function missingRights(namespace: Namespace, { signal }: Cancelable): Promise<readonly Right[]> {
  const allowed = await Promise.all(needed.map((right) => isAllowed(namespace, right, signal)));
  return needed.filter((_, index) => allowed[index] === false);
}

/** Each account may ask what it may do itself. */
export async function isAllowed(namespace: Namespace, right: Right, signal?: AbortSignal): Promise<boolean> {
  const [resource, subresource] = right.resource.split('/');
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: {
      resourceAttributes: {
        namespace: namespace.name,
        verb: right.verb,
        group: right.group,
        resource,
        ...(subresource === undefined ? {} : { subresource }),
      },
    },
  };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const answer = await namespace.api.do({
    method: 'POST',
    path,
    body,
    doing: 'ask for the rights of the account',
    signal,
  });
  const status = isRecord(answer) ? answer['status'] : null;
  return isRecord(status) && status['allowed'] === true;
}
