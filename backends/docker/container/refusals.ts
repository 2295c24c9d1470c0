/**
 * Keeps a container with an open network from addresses, by rules in its own network namespace (iptables-restore(8)): nothing changes
 * on the host, and no route leads around them, as one would for a program that binds to an interface. They go with the namespace.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import type { Enforcement, Refusals } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';
import { inspectContainer } from './container.ts';
import type { Engine } from '../engine/engine.ts';

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const patienceMs = 10_000;
const mostSaid = 300;

/** A range or an address of IPv4, and nothing that the rules could be led astray by. */
const isRange = (text: string): boolean => /^\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?$/.test(text);

/** Pure. Loopback is the container's own, and its resolver is there. What is opened comes first. */
export function rulesFor({ ranges, opened }: Refusals, gateways: readonly string[]): string {
  const open = opened.filter(({ address }) => isRange(address));
  const accepted = open.flatMap(({ address, port }) =>
    ['tcp', 'udp'].map((protocol) => `-A OUTPUT -d ${address} -p ${protocol} --dport ${port} -j ACCEPT`),
  );
  // A message of ICMP is lost on a socket that is just connecting, which would try again after a second.
  const refused = [...ranges, ...gateways]
    .filter(isRange)
    .flatMap((range) => [
      `-A OUTPUT -d ${range} -p tcp -j REJECT --reject-with tcp-reset`,
      `-A OUTPUT -d ${range} -j REJECT --reject-with icmp-admin-prohibited`,
    ]);
  return [
    '*filter',
    ...['INPUT', 'FORWARD', 'OUTPUT'].map((chain) => `:${chain} ACCEPT [0:0]`),
    '-A OUTPUT -o lo -j ACCEPT',
    ...accepted,
    ...refused,
    'COMMIT',
    '',
  ].join('\n');
}

/** Tried in a namespace of its own: the kernel may lack what the rules need. */
export async function canRefuse(): Promise<Enforcement> {
  const rules = rulesFor({ ranges: ['10.0.0.0/8'], opened: [{ address: '10.0.0.1', port: 53 }] }, []);
  const failure = await restore(['unshare', '--net', '--'], rules);
  return failure === null
    ? { enforced: true, by: 'iptables in its own network namespace' }
    : { enforced: false, reason: `rules of iptables cannot be set here: ${failure}` };
}

/** In force when this resolves, in place of those of before. Throws `unavailable`; the caller ends the container then. */
export async function refuse(engine: Engine, container: string, refusals: Refusals): Promise<void> {
  const { id, pid, gateways } = await inspectContainer(engine, container);
  const failure = pid === null ? 'it does not run' : await restoreIn({ id, pid }, rulesFor(refusals, gateways));
  if (failure !== null)
    throw new CaissonError('unavailable', `the sandbox cannot be kept from private networks: ${failure}`, {
      details: { container: id },
      remedy: 'see whether iptables works on this host, or ask for --network none',
    });
}

/** `null`: done. The namespace is held open: the number of a process may be another one's a moment later. */
async function restoreIn(
  { id, pid }: { readonly id: string; readonly pid: number },
  rules: string,
): Promise<string | null> {
  let namespace: number;
  try {
    namespace = openSync(`/proc/${pid}/ns/net`, 'r');
  } catch {
    return 'its first process is not to be seen';
  }
  try {
    // The engine counts processes in its own namespace: the control group of that process must name the container.
    const isIts = readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(id);
    const isOwn = readlinkSync(`/proc/self/fd/${namespace}`) === readlinkSync('/proc/self/ns/net');
    if (!isIts || isOwn) return 'its network namespace is not to be seen';
    return await restore(['nsenter', '--net=/proc/self/fd/3', '--'], rules, namespace);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    closeSync(namespace);
  }
}

/** `null`: done. */
async function restore(enter: readonly string[], rules: string, namespace?: number): Promise<string | null> {
  const [program = '', ...args] = enter;
  const path = `${process.env['PATH'] ?? ''}:${systemPath}`;
  const child = spawn(program, [...args, 'iptables-restore'], {
    cwd: '/',
    env: { PATH: path },
    stdio: ['pipe', 'ignore', 'pipe', ...(namespace === undefined ? [] : [namespace])],
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  });
  const { promise, resolve } = Promise.withResolvers<string | null>();
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString('latin1')}`.slice(0, mostSaid)));
  child.once('error', (error) => resolve(error.message));
  child.once('close', (code, signal) =>
    resolve(code === 0 ? null : said.trim().split('\n')[0] || `it ended with ${code ?? signal ?? 'no code'}`),
  );
  child.stdin?.on('error', () => undefined).end(rules);
  return await promise;
}
