/**
 * The line from a command to the service of its state directory. A service that was started again has another socket and other
 * tokens: they are read again when the connection was lost, so that a command goes on where it was.
 */
import { readFileSync } from 'node:fs';
import type { Transport, WireSocket } from '../../client/transport.ts';
import { unixTransport } from '../../client/unix/transport.ts';
import { CaissonError, isCode } from '../../errors.ts';
import { answerFile, isServiceAlive, readServiceRecord, type ServiceRecord } from '../../lib/service-record.ts';
import { checkVersion } from './version.ts';

/** `ask` runs and reads, `decide` also says what a person has decided, `answer` answers questions. */
export type TokenRole = 'ask' | 'decide' | 'answer';

/** Name of the header that `src/http/home/tokens.ts` reads. */
const answerHeader = 'caisson-answer';

interface ServiceConnection {
  readonly record: ServiceRecord;
  readonly transport: Transport;
}

export class Line {
  readonly #home: string;
  #held: ServiceConnection;
  #isUsed = false;
  #isLost = false;

  constructor(home: string, record: ServiceRecord) {
    this.#home = home;
    this.#held = { record, transport: unixTransport(record.socket) };
  }

  as(standing: TokenRole): Transport {
    return {
      request: async (wanted) => {
        const { record, transport } = this.#current();
        const headers = { ...wanted.headers, ...this.#tokens(standing, record) };
        return await this.#watched(transport.request({ ...wanted, headers }));
      },
      open: async (path, headers, signal): Promise<WireSocket> => {
        const { record, transport } = this.#current();
        return await this.#watched(transport.open(path, { ...headers, ...this.#tokens(standing, record) }, signal));
      },
      close: async () => await this.#held.transport.close(),
    };
  }

  /** Throws `unavailable` while no service runs. */
  #current(): ServiceConnection {
    if (!this.#isUsed) {
      this.#isUsed = true;
      return this.#held;
    }
    const record = readServiceRecord(this.#home);
    if (record !== null && isServiceAlive(record)) return this.#heldOf(record);
    // One that ends has no record any more, and still answers on the connections that it has.
    if (this.#isLost) throw serviceGoneError();
    return this.#held;
  }

  #heldOf(record: ServiceRecord): ServiceConnection {
    const { pid, startedAt } = this.#held.record;
    if (record.pid === pid && record.startedAt === startedAt) return this.#held;
    checkVersion(record);
    void this.#held.transport.close();
    this.#isLost = false;
    return (this.#held = { record, transport: unixTransport(record.socket) });
  }

  async #watched<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (isCode(error, 'unavailable')) this.#isLost = true;
      throw error;
    }
  }

  #tokens(standing: TokenRole, { token }: ServiceRecord): Readonly<Record<string, string>> {
    if (standing === 'answer') return { authorization: `Bearer ${answerToken(this.#home)}` };
    const authorization = `Bearer ${token}`;
    return standing === 'ask' ? { authorization } : { authorization, [answerHeader]: answerToken(this.#home) };
  }
}

function answerToken(home: string): string {
  try {
    return readFileSync(answerFile(home), 'utf8').trim();
  } catch (cause) {
    throw new CaissonError('unavailable', `${answerFile(home)} cannot be read`, {
      cause,
      details: { sent: false },
      remedy: 'answer on the host and as the user of the service, while it runs',
    });
  }
}

function serviceGoneError(): CaissonError {
  return new CaissonError('unavailable', 'the service has ended', {
    details: { sent: false },
    remedy: 'start it again with caisson serve',
  });
}
