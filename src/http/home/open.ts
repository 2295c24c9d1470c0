/** The socket of the state directory: the same application and service for the command line of this host, without a token of its own. */
import { readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { version } from '../../lib/build.ts';
import { replaceOwnFile } from '../../lib/replace-file.ts';
import { answerFile, directoryOf, recordFile, type ServiceRecord } from '../../lib/service-record.ts';
import { startTimeOf } from '../../lib/start-time.ts';
import { openApp } from '../app.ts';
import { clearLeft, clearPrivate, isPrivate, listenAt, socketFor } from './listen.ts';
import type { Flags } from './state.ts';
import { HomeTokens } from './tokens.ts';
import type { Service } from '../types.ts';

export interface HomeDoor {
  readonly socket: string;
  /** The files first: who finds none, does not ask a service that is going. */
  close(): Promise<void>;
}

interface HomeContext {
  readonly service: Service;
  readonly log: Logger;
  /** The ordinary address. */
  readonly url: string;
  readonly flags: Flags;
}

/** Only for the holder of the claim. On failure nothing of it is left. */
export async function openHomeDoor({ service, log, url, flags }: HomeContext): Promise<HomeDoor> {
  const { home } = service.api.config;
  const startedAt = new Date().toISOString();
  const tokens = new HomeTokens(startedAt);
  const names = { hosts: [], origins: [], bound: null, secure: false };
  const app = await openApp({ service, log, proxies: [], door: () => names, home: { tokens, flags } });
  await clearLeft(home);
  const socket = await socketFor(home);
  const opened = { socket, close: async () => await close(app, home, socket) };
  try {
    await listenAt(app, socket);
    await replaceOwnFile(answerFile(home), `${tokens.answer}\n`);
    await replaceOwnFile(recordFile(home), `${JSON.stringify(recordOf({ home, startedAt, socket, url, tokens }))}\n`);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function close(app: FastifyInstance, home: string, socket: string): Promise<void> {
  await rm(recordFile(home), { force: true });
  await rm(answerFile(home), { force: true });
  await app.close();
  await rm(socket, { force: true });
  if (isPrivate(socket)) await clearPrivate(socket);
}

interface HomeRecord extends Pick<ServiceRecord, 'startedAt' | 'socket' | 'url'> {
  readonly home: string;
  readonly tokens: HomeTokens;
}

function recordOf({ home, startedAt, socket, url, tokens }: HomeRecord): ServiceRecord {
  const { pid } = process;
  const own = { startTime: whereThereIsProc(() => startTimeOf(pid)), mountNamespace: mountNamespace() };
  const directory = directoryOf(home);
  return { version: version(), pid, startedAt, ...own, directory, socket, url, token: tokens.ask };
}

const mountNamespace = (): string | null => whereThereIsProc(() => readlinkSync('/proc/self/ns/mnt'));

function whereThereIsProc(read: () => string | null): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
