/** What holds for sandboxes of other owners than the operator. Pure. */
import type { Guarantees, Spec } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import type { Settled } from './resolve.ts';

/**
 * Takes away what the configuration passes on of this host: variables, credential files, skills, mounts and the user of the
 * host are the operator's. Throws `permission_denied` for a backend that does not keep owners apart.
 */
export function ownedSettings(settled: Settled, { apart }: Pick<Guarantees, 'apart'>): Settled {
  if (apart !== true)
    throw new CaissonError(
      'permission_denied',
      `the backend ${settled.spec.backend} does not keep owners apart: only the operator has sandboxes there`,
      { remedy: 'name another backend in the request', details: { backend: settled.spec.backend } },
    );
  return {
    ...settled,
    spec: withoutHost(settled.spec),
    configured: withoutHost(settled.configured),
    forwardEnv: [],
    passEnv: [],
    skills: [],
    credentials: { ...settled.credentials, configured: [], bySkills: [] },
  };
}

const withoutHost = (spec: Spec): Spec => ({ ...spec, mounts: [], hardening: { ...spec.hardening, user: 'root' } });
