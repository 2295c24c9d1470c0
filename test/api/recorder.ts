/** Notes which verbs a case calls, so that a case which does not call the verb of its name fails. */
import type { Api } from './api.ts';

export function recording(api: Api, called: (verb: string) => void): Api {
  return wrapped(api, '', called);
}

function wrapped<Noun extends object>(noun: Noun, path: string, called: (verb: string) => void): Noun {
  return new Proxy(noun, {
    get(target, name): unknown {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof name === 'symbol') return value;
      if (typeof value === 'object' && value !== null) return wrapped(value, `${path}${name}.`, called);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]): unknown => {
        called(path + name);
        return Reflect.apply(value, target, args);
      };
    },
  });
}
