/** Frames of exec and attach: the first byte of a message is its channel, in v4.channel.k8s.io and v5.channel.k8s.io alike. */
import { CaissonError } from '../../src/errors.ts';
import { isRecord, parseJson } from '../shared/labels.ts';

export const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;
export type Protocol = (typeof protocols)[number];

export const channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 } as const;

export function frame(number: number, bytes: Uint8Array): Buffer {
  const made = Buffer.allocUnsafe(bytes.length + 1);
  made[0] = number;
  made.set(bytes, 1);
  return made;
}

/** Frame that ends stdin. `null`: the protocol has no such frame. */
export function endOfInput(protocol: Protocol): Buffer | null {
  return protocol === 'v5.channel.k8s.io' ? Buffer.from([channel.close, channel.stdin]) : null;
}

export function resizeFrame(columns: number, rows: number): Buffer {
  return frame(channel.resize, Buffer.from(JSON.stringify({ Width: columns, Height: rows })));
}

const longestStatus = 64 * 1024;

/** The exit code in a frame of status. Throws for what names none: the container is gone, or the node could not start the shell. */
export function exitCodeOf(bytes: Buffer): number {
  const status = bytes.length > longestStatus ? null : parseJson(bytes.toString('utf8'));
  if (!isRecord(status)) throw noStatus('it is no status');
  if (status['status'] === 'Success') return 0;
  const code = status['reason'] === 'NonZeroExitCode' ? causeOf(status) : null;
  if (code !== null && /^\d{1,3}$/.test(code) && Number(code) <= 255) return Number(code);
  throw noStatus(typeof status['reason'] === 'string' ? status['reason'].slice(0, 60) : 'it names no exit code');
}

function causeOf({ details }: Readonly<Record<string, unknown>>): string | null {
  const causes: unknown = isRecord(details) ? details['causes'] : null;
  const found: unknown = Array.isArray(causes)
    ? causes.find((each: unknown) => isRecord(each) && each['reason'] === 'ExitCode')
    : null;
  return isRecord(found) && typeof found['message'] === 'string' ? found['message'] : null;
}

function noStatus(reason: string): CaissonError {
  return new CaissonError('unavailable', `the cluster does not say how the command ended (${reason})`, {
    details: { reason },
    remedy: 'see the state of the sandbox: `caisson ls`',
  });
}
