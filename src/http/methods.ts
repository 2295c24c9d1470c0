/** Methods of each path: a request by another one is answered with those that there are (RFC 9110, section 15.5.6). */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { CaissonError } from '../errors.ts';
import { HttpRefusal, httpError } from './problems.ts';

interface Path {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

export class Methods {
  readonly #paths = new Map<string, Path>();

  /** Routes that are added from now on. */
  watch(app: FastifyInstance): void {
    app.addHook('onRoute', ({ url, method }) => {
      const path = this.#paths.get(url) ?? { pattern: patternOf(url), methods: new Set(['OPTIONS']) };
      this.#paths.set(url, path);
      for (const each of [method].flat()) path.methods.add(each);
    });
  }

  /**
   * Methods of the path of a request that no route takes, for the header Allow. Throws 404 where the path has none, and 405
   * for everything but OPTIONS.
   */
  checkOptions({ method = '', url = '' }: IncomingMessage): string {
    const allow = this.allow(url.replace(/\?.*$/s, ''));
    if (allow === null) throw httpError(404, 'there is no such route', 'GET /openapi.json lists them');
    if (method !== 'OPTIONS') throw wrongMethodError(method, allow);
    return allow;
  }

  /** In alphabetical order; `*` is the service as a whole. `null`: there is no such path. */
  allow(path: string): string | null {
    const found = [...this.#paths.values()].filter(({ pattern }) => path === '*' || pattern.test(path));
    const methods = new Set(found.flatMap((each) => [...each.methods]));
    return methods.size === 0 ? null : [...methods].toSorted().join(', ');
  }
}

function patternOf(url: string): RegExp {
  const escaped = url.replaceAll('.', String.raw`\.`);
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+')}$`);
}

function wrongMethodError(method: string, allow: string): HttpRefusal {
  const error = new CaissonError('not_supported', `this path does not take ${method}`, { remedy: `it takes ${allow}` });
  return new HttpRefusal(405, error, { allow });
}
