/** What callers give as stdin: `NUMBER` letters, `lines:COUNT`, `numbers:COUNT`, `bytes:COUNT` of all values, `script`. */
export function stdinOf(spec: string): Buffer {
  if (spec === 'script') return Buffer.from('echo "from stdin: $#"\nread -r x\nthis is data\necho "$x"\nexit 5\n');
  const [kind = '', count = kind] = spec.split(':');
  const length = Number(count);
  if (!Number.isSafeInteger(length)) throw new Error(`@stdin=${spec} is not known`);
  if (kind === 'lines') return Buffer.from(counted(length, (each) => `line ${each}\n`));
  if (kind === 'numbers') return Buffer.from(counted(length, (each) => `${each * each}\n`));
  if (kind === 'bytes') return Buffer.from(Array.from({ length }, (_, index) => (index * 7) % 256));
  if (kind !== count) throw new Error(`@stdin=${spec} is not known`);
  return Buffer.from('abcdefghijklmnopqrstuvwxyz'.repeat(Math.ceil(length / 26)).slice(0, length));
}

const counted = (count: number, line: (each: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index + 1)).join('');
