/** The engine: one connection description, one client, one event stream and one set of facts, each made when needed. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import type { Kept, OpenOptions } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';
import { untilAborted } from '../../shared/abort.ts';
import { endpointName, findEndpoint, type Endpoint } from './connection.ts';
import { Events } from './events.ts';
import { readAnswers, isPodman, readFacts, toFacts, type Facts } from './facts.ts';
import { keepAnswers, keptAnswers } from './kept-facts.ts';
import { type Attaching, hijack, type Hijacked, type Way, withoutServerName } from './hijack.ts';
import { Network } from '../container/network.ts';
import { ask, open, type Client, type Request } from './rest.ts';
import { send, type Sending } from './send.ts';
import { remembered } from '../../../src/lib/remembered.ts';

/** How long the engine may take to tidy up at the end. */
const closeTimeoutMs = 3000;

interface Connected {
  readonly client: Client;
  readonly way: Way;
}

export class Engine {
  readonly instance: string;
  readonly events: Events;
  readonly network: Network;
  readonly #env: OpenOptions['env'];
  readonly #kept: Kept | undefined;
  readonly #attached = new Set<Hijacked>();
  readonly #connect = remembered((): Promise<Connected> => connect(this.#env));
  readonly #facts = remembered(() => this.#readFacts());

  constructor(options: OpenOptions) {
    this.#env = options.env;
    this.#kept = options.kept;
    this.instance = options.instance;
    this.events = new Events((request) => this.open(request), options.instance);
    this.network = new Network((request) => this.ask(request), options.instance);
  }

  async ask(request: Request): Promise<unknown> {
    return ask((await this.#connect()).client, request);
  }

  async open(request: Request): Promise<Readable> {
    return open((await this.#connect()).client, request);
  }

  async send(sending: Sending): Promise<void> {
    await send((await this.#connect()).way, sending);
  }

  async hijack(attaching: Attaching): Promise<Hijacked> {
    const hijacked = await hijack((await this.#connect()).way, attaching);
    this.#attached.add(hijacked);
    hijacked.input.once('close', () => this.#attached.delete(hijacked));
    return hijacked;
  }

  /** Whether this host's files are the engine's too. */
  async isLocal(): Promise<boolean> {
    return !(await this.#connect()).way.tls;
  }

  /** Read once; a failure is not remembered. */
  facts(signal?: AbortSignal): Promise<Facts> {
    return untilAborted(this.#facts(), signal);
  }

  /** `facts`, or those that another process has read a short time ago: what is made by them is compared with `facts`. */
  async recentFacts(signal?: AbortSignal): Promise<Facts> {
    if (this.#facts.current() !== null || this.#kept === undefined) return await this.facts(signal);
    const { client } = await this.#connect();
    const answers = keptAnswers(this.#kept, client.endpoint);
    return answers === null ? await this.facts(signal) : toFacts(answers.info, answers.version);
  }

  async #readFacts(): Promise<Facts> {
    const ask = (request: Request): Promise<unknown> => this.ask(request);
    const answers = await readAnswers(ask);
    const facts = await readFacts(ask, answers);
    if (this.#kept !== undefined && !isPodman(facts))
      keepAnswers(this.#kept, (await this.#connect()).client.endpoint, answers);
    return facts;
  }

  async close(): Promise<void> {
    this.events.close();
    for (const { input, output } of [...this.#attached]) {
      input.destroy();
      output.destroy();
    }
    if (this.#connect.current() === null) return;
    // An engine that hangs must not hold a caller that closes.
    await untilAborted(this.network.leave(), AbortSignal.timeout(closeTimeoutMs)).catch(() => undefined);
  }
}

async function connect(env: OpenOptions['env']): Promise<Connected> {
  const endpoint = findEndpoint(env, existsSync);
  const name = endpointName(endpoint);
  const target = await targetOf(endpoint);
  const { default: DockerClient } = await import('dockerode');
  // Every key is given, because docker-modem fills absent ones from the process's own environment.
  const docker: Docker = new DockerClient({
    host: undefined,
    port: undefined,
    socketPath: undefined,
    ca: undefined,
    cert: undefined,
    key: undefined,
    timeout: undefined,
    ...target,
  });
  const { protocol, ...options } = target;
  Object.assign(docker.modem, { agent: oneShotAgent(protocol === 'https') });
  return { client: { docker, endpoint: name }, way: { tls: protocol === 'https', options, endpoint: name } };
}

/**
 * A connection a request: one that was kept may be dead by the next request, for example since the engine was restarted.
 * docker-modem runs util.inspect over its options at every request, and would walk the agent with all its sockets.
 */
function oneShotAgent(tls: boolean): HttpAgent {
  const agent = tls ? new HttpsAgent({ keepAlive: false }) : new HttpAgent(withoutServerName);
  return Object.defineProperty(agent, inspect.custom, { value: () => 'Agent' });
}

async function targetOf(endpoint: Endpoint) {
  if (endpoint.kind === 'unix') return { protocol: 'http', socketPath: endpoint.path } as const;
  const [ca, cert, key] = await Promise.all(
    ['ca.pem', 'cert.pem', 'key.pem'].map((file) => readCertificate(endpoint.certificates, file)),
  );
  return { protocol: 'https', host: endpoint.host, port: endpoint.port, ca, cert, key } as const;
}

async function readCertificate(directory: string, file: string): Promise<Buffer> {
  const path = join(directory, file);
  return readFile(path).catch((cause: unknown) => {
    throw new CaissonError('failed_precondition', `cannot read ${path}`, {
      cause,
      remedy: 'set DOCKER_CERT_PATH to the directory of ca.pem, cert.pem and key.pem',
    });
  });
}
