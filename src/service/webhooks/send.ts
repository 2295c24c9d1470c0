/** One attempt to deliver an event. Loads the HTTP client. */
import { toCaissonError } from '../../errors.ts';
import { traced } from '../../lib/traced.ts';
import { addressRules, type AddressRulesInput } from '../../network/address/rules.ts';
import { Dialler } from '../../network/dial/fetch.ts';
import { systemLookup } from '../../network/dial/vet.ts';
import type { Message } from './sign.ts';

export type SendOutcome = Ended | { readonly is: 'canceled' };
/** `gone`: the receiver wants no more of it (RFC 9110, 15.5.11). */
export type Ended = { readonly is: 'arrived' } | { readonly is: 'failed' | 'gone'; readonly why: string };

export interface Sender {
  /** Never rejects. */
  readonly send: (url: string, message: Message, signal: AbortSignal) => Promise<SendOutcome>;
  readonly close: () => Promise<void>;
}

const timeoutMs = 15_000;

/** `urls`: those of the configuration. */
export function openSender(urls: readonly string[], rules: AddressRulesInput): Sender {
  const dialler = new Dialler({
    rules: () => addressRules(rules),
    lookup: systemLookup,
    lookupTimeoutMs: 5000,
    connectTimeoutMs: 5000,
    written: new Set(urls.map((url) => new URL(url).origin)),
    reach: (address, port) => ({ address, port }),
  });
  return {
    close: () => dialler.close(),
    send: async (url, message, canceled) => {
      const signal = AbortSignal.any([canceled, AbortSignal.timeout(timeoutMs)]);
      try {
        const answer = await traced({ name: 'caisson.webhook', kind: 'client' }, (fields) =>
          dialler.fetch(url, {
            method: 'POST',
            ...message,
            headers: { ...message.headers, ...fields },
            redirect: 'manual',
            signal,
          }),
        );
        // What it says is of no use, and may have no end.
        await answer.body?.cancel();
        return readStatus(answer.status);
      } catch (error) {
        return canceled.aborted ? { is: 'canceled' } : { is: 'failed', why: toCaissonError(error).message };
      }
    },
  };
}

function readStatus(status: number): Ended {
  if (status >= 200 && status < 300) return { is: 'arrived' };
  return { is: status === 410 ? 'gone' : 'failed', why: `status ${status}` };
}
