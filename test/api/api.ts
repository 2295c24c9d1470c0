/**
 * The API as both sides have it: the library in its own process, and the client of a service. A stream is read with `for await`
 * and written with `write` and `end`; what else a stream of Node can do is not used here.
 */
import type { Readable, Writable } from 'node:stream';
import type { CaissonApi, Checker, CheckQuery, PolicyApi, UrlChecker } from '../../src/service/api.ts';

/** A promise is awaited by the library's `Writable` too, where it is no promise. */
export interface Sink {
  write(bytes: Uint8Array): unknown;
  end(): unknown;
}

type Portable<T> = T extends Readable
  ? AsyncIterable<Uint8Array>
  : T extends Writable
    ? Sink
    : T extends Uint8Array
      ? Uint8Array
      : T extends Promise<infer Value>
        ? Promise<Portable<Value>>
        : T extends AsyncIterable<infer Part>
          ? AsyncIterable<Portable<Part>>
          : T extends (...args: infer Args) => infer Answer
            ? (...args: Args) => Portable<Answer>
            : T extends object
              ? { readonly [Key in keyof T]: Portable<T[Key]> }
              : T;

type Nouns = Omit<CaissonApi, 'config' | 'close' | 'secrets' | 'policy' | 'network'>;

/** A verdict of the library is there at once, one of a service comes. */
type Awaitable<Check> = Check extends (...args: infer Args) => infer Answer
  ? (...args: Args) => Answer | Promise<Answer>
  : never;

export interface Api extends Portable<Nouns> {
  readonly secrets: CaissonApi['secrets'];
  readonly policy: Omit<PolicyApi, 'checker'> & { checker(query: CheckQuery): Promise<Awaitable<Checker>> };
  readonly network: { checker(): Promise<Awaitable<UrlChecker>> };
  readonly config: Portable<Pick<CaissonApi['config'], 'show' | 'set' | 'create' | 'reload' | 'schema'>>;
  close(): Promise<void>;
}

export type Running = Awaited<ReturnType<Api['exec']>>;
