/** What a sandbox holds is reached by its id alone, and below the sandbox, where its twin is `not_found` in any other one. */
import { type Route, route } from './route.ts';
import { execId, inSandbox } from './schemas/common.ts';
import type { Call } from './types.ts';

export interface Twin {
  /** The parameter of the path with the id. */
  readonly name: 'execId' | 'processId';
  /** What the twin does, in one sentence. Absent: the words of the route by the id alone. */
  readonly about?: string;
  /** Throws `not_found` for what another sandbox holds. */
  readonly check: (call: Call, place: Place) => Promise<unknown>;
}

export interface Place {
  readonly id: string;
  /** Id of the exec or process. */
  readonly of: string;
}

/** The twin below the sandbox, and the route by the id alone. */
export function twins(byId: Route, { name, about = byId.about, check }: Twin): readonly [Route, Route] {
  const twin = route({
    ...byId,
    about,
    path: byId.path.replace('/v1', '/v1/sandboxes/{id}'),
    params: inSandbox.extend({ [name]: execId }),
    run: async (call) => {
      const { id = '', [name]: of = '' } = call.params;
      await check(call, { id, of });
      return await byId.run({ ...call, params: { [name]: of } });
    },
  });
  return [twin, byId];
}
