/** The account at the service: who we are there, how much is asked of it at once, and what is asked again. */
import PQueue from 'p-queue';
import type { OpenOptions } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { throwIfAborted, untilAborted } from '../shared/abort.ts';
import { pause } from './pause.ts';
import { daytonaError, retryAfterMs, statusOf } from './fault.ts';
import { type Access, type Client, openClient } from './sdk.ts';
import { type Settings, readSettings } from './settings.ts';
import { remembered } from '../../src/lib/remembered.ts';

const concurrency = 16;
const maxTries = 6;
const firstPauseMs = 150;
const longestPauseMs = 20_000;

export interface Asking {
  /** Reads as in "could not ...". */
  readonly doing: string;
  /** Only what may arrive twice is asked again. */
  readonly idempotent: boolean;
  readonly signal?: AbortSignal | undefined;
}

export class Account {
  readonly settings: Settings;
  readonly #options: OpenOptions;
  readonly #queue = new PQueue({ concurrency });
  readonly client = remembered((): Promise<Client> => this.#open());

  constructor(options: OpenOptions) {
    this.#options = options;
    this.settings = readSettings(options.settings ?? {});
  }

  /** Address of the API, for people. */
  get label(): string {
    return accessOf(this.#options.env, this.settings).apiUrl;
  }

  async ask<T>(work: (client: Client) => Promise<T>, { doing, idempotent, signal }: Asking): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      throwIfAborted({ ...(signal === undefined ? {} : { signal }) });
      const client = await this.client();
      try {
        return await untilAborted(
          this.#queue.add(() => work(client)),
          signal,
        );
      } catch (error) {
        if (signal?.aborted === true || !idempotent || tries >= maxTries || !mayPass(error))
          throw daytonaError(error, doing);
        await pause(pauseMs(error, tries), signal);
      }
    }
  }

  async close(): Promise<void> {
    const client = await this.client.current()?.catch(() => null);
    this.client.forget();
    await client?.[Symbol.asyncDispose]();
  }

  async #open(): Promise<Client> {
    return await openClient(accessOf(this.#options.env, this.settings));
  }
}

/** A limit on requests, an answer that is missing, or one of a proxy. */
function mayPass(error: unknown): boolean {
  if (error instanceof CaissonError) return error.code === 'unavailable';
  const status = statusOf(error);
  return status === null || status === 408 || status === 429 || status >= 500;
}

function pauseMs(error: unknown, tries: number): number {
  const wanted = retryAfterMs(error) ?? firstPauseMs * 2 ** (tries - 1);
  // Apart from each other: those that were refused together must not come back together.
  return Math.min(longestPauseMs, wanted * (0.75 + Math.random() / 2));
}

function accessOf(env: OpenOptions['env'], settings: Settings): Access {
  const { DAYTONA_API_KEY: apiKey } = env;
  if (apiKey === undefined || apiKey === '')
    throw new CaissonError('failed_precondition', 'there is no key for Daytona', {
      remedy: 'set DAYTONA_API_KEY in the environment of Caisson; docs/daytona.md says how to get one',
    });
  return {
    apiKey,
    apiUrl: checkedUrl(env['DAYTONA_API_URL'] || settings.apiUrl),
    target: env['DAYTONA_TARGET'] || settings.target,
  };
}

/** The key would travel in clear. */
function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const loopback = url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback)) return text.replace(/\/+$/, '');
  throw new CaissonError('failed_precondition', 'the address of Daytona must begin with https://', {
    remedy: 'correct DAYTONA_API_URL or terminal.daytona_api_url; plain http:// is for 127.0.0.1 alone',
  });
}
