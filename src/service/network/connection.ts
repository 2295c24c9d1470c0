/** A line of the record of connections. Pure. The file is Caisson's own; what stands in it comes from a sandbox. */
import type { Connection } from '../network-api.ts';

const checks: readonly Connection['checked'][] = ['server-name', 'host-header', 'address'];

/** Reads one line. Empty for a malformed one, such as a line that a crash cut short. */
export function connectionIn(line: string): readonly Connection[] {
  const of = reader(line);
  const [startedAt, rule, reason] = [of('startedAt'), of('rule'), of('reason')].map(textIn);
  const checked = checks.find((each) => each === of('checked'));
  const verdict = (['allow', 'deny'] as const).find((each) => each === of('verdict'));
  if (startedAt == null || rule == null || reason == null || checked === undefined || verdict === undefined) return [];
  const [name, address, port] = [textIn(of('name')), textIn(of('address')), of('port')];
  const [durationMs, sentBytes, receivedBytes] = [of('durationMs'), of('sentBytes'), of('receivedBytes')].map(countIn);
  return [
    {
      startedAt,
      durationMs: durationMs ?? 0,
      name,
      port: typeof port === 'number' ? port : null,
      address,
      verdict,
      rule,
      reason,
      checked,
      sentBytes: sentBytes ?? 0,
      receivedBytes: receivedBytes ?? 0,
    },
  ];
}

function reader(line: string): (key: string) => unknown {
  try {
    const read: unknown = JSON.parse(line);
    return (key) => fieldOf(read, key);
  } catch {
    return () => null;
  }
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : null;

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const countIn = (value: unknown): number => (typeof value === 'number' && value >= 0 ? value : 0);
