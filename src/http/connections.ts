/**
 * Whose the open connections are: of the address that they come from until they show a token, and of the owner of the token from
 * then on. An address beyond its share has a moment for each further one, in which a client that has a token shows it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Budget, Share } from '../budget/types.ts';
import { networkOf } from './hooks/strangers.ts';

/** Long enough for a handshake and a request of a client far away. */
const defaultGraceMs = 5000;

export interface ConnectionBudgets {
  /** Budget of connections without a token, by address. */
  readonly strangers: Budget;
  /** Budget of connections with a token, by owner. */
  readonly connections: Budget;
  /** Absent: as usual. For tests. */
  readonly graceMs?: number;
}

interface OpenConnection {
  readonly owner: string | null;
  readonly free: () => void;
}

export class Connections {
  readonly #budgets: ConnectionBudgets;
  /** Connections by address and port: with TLS a request has another socket than its connection. */
  readonly #held = new Map<string, OpenConnection>();

  constructor(budgets: ConnectionBudgets) {
    this.#budgets = budgets;
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#opened(socket));
  }

  /**
   * Called when the token of a request holds. `isBrief`: it has no body, and its answer ends by itself: such a request is answered
   * also where its owner has all connections that it may. Throws `resource_exhausted`. In both cases the connection ends with the answer.
   */
  shown({ raw }: FastifyRequest, reply: FastifyReply, { owner, isBrief }: { owner: string; isBrief: boolean }): void {
    const peer = peerOf(raw.socket);
    const held = peer === null ? undefined : this.#held.get(peer);
    if (peer === null || held === undefined || held.owner === owner) return;
    const share = takenOf(this.#budgets.connections, owner);
    if (share instanceof Error) {
      void reply.header('connection', 'close');
      if (!isBrief) throw share;
    }
    held.free();
    this.#held.set(peer, share instanceof Error ? unheld : { owner, free: () => share.free() });
  }

  #opened(socket: Socket): void {
    const peer = peerOf(socket);
    // A unix socket is of this user alone.
    if (peer === null) return;
    const share = takenOf(this.#budgets.strangers, networkOf(socket.remoteAddress ?? ''));
    this.#held.set(peer, {
      owner: null,
      free: share instanceof Error ? this.#closingSoon(socket) : () => share.free(),
    });
    socket.once('close', () => {
      this.#held.get(peer)?.free();
      this.#held.delete(peer);
    });
  }

  #closingSoon(socket: Socket): () => void {
    const late = setTimeout(() => socket.destroy(), this.#budgets.graceMs ?? defaultGraceMs);
    return () => clearTimeout(late);
  }
}

const unheld: OpenConnection = { owner: null, free: () => {} };

function takenOf(budget: Budget, owner: string): Share | Error {
  try {
    return budget.take(owner);
  } catch (error) {
    return error instanceof Error ? error : new Error('refused', { cause: error });
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string | null {
  return remoteAddress === undefined ? null : `${remoteAddress} ${remotePort}`;
}
