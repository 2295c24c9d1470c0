import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { ScanResult } from '../../service/api.ts';
import { CaissonError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { UsageError } from '../usage.ts';

/** One byte more than is looked at, so that a longer file is seen to be one. */
const mostBytes = 256 * 1024 + 1;

export const scan = defineCommand({
  name: 'scan',
  summary: 'Look for prompt injection in files that go into a prompt',
  about: `Files such as AGENTS.md, .cursorrules and SOUL.md: orders to ignore instructions, hidden HTML, reads of
secrets, ways to send them away, invisible and look-alike characters. - is standard input.
Exits 1 when a file is blocked. It finds what is known, and proves nothing about the rest.
An approval is for exactly these bytes.`,
  operands: [{ name: 'FILE', count: 'many' }],
  runs: false,
  exitsAsCommand: false,
  options: {
    content: { type: 'flag', about: 'write what may be loaded: the text, or a line that says why not' },
    approve: { type: 'flag', about: 'accept what is in the files now, whatever was found' },
  },
  examples: [
    ['before it is loaded', 'scan AGENTS.md .cursorrules'],
    ['in place of reading the file', 'scan --content AGENTS.md'],
    ['after somebody has read it', 'scan --approve AGENTS.md'],
  ],
  run: async (given, context) => {
    if (given.flag('content') && given.flag('approve')) throw new UsageError('give one of --content and --approve');
    const results: ScanResult[] = [];
    for (const name of given.operands) {
      const result = await scanned(name, context, given.flag('approve'));
      results.push(result);
      if (!context.json) await context.print(given.flag('content') ? ended(result.content) : describe(result));
    }
    if (context.json) await context.printJson(given.flag('content') ? results : results.map(withoutContent));
    return results.some(({ verdict }) => verdict === 'blocked') ? 1 : 0;
  },
});

async function scanned(name: string, context: Context, approving: boolean): Promise<ScanResult> {
  const { secrets } = await context.service();
  const file = { name, bytes: await bytesOf(name, context) };
  const result = await secrets.scan(file);
  if (!approving || result.verdict !== 'blocked') return result;
  await secrets.approve(result);
  return await secrets.scan(file);
}

async function bytesOf(name: string, { world }: Context): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    const stream: AsyncIterable<unknown> = name === '-' ? world.stdin : createReadStream(resolve(world.cwd, name));
    for await (const chunk of stream) {
      const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
      chunks.push(bytes);
      length += bytes.length;
      if (length >= mostBytes) break;
    }
  } catch (error) {
    throw new CaissonError('invalid_argument', `${name} cannot be read`, { cause: error, remedy: 'check the path' });
  }
  return Buffer.concat(chunks);
}

function describe({ name, verdict, findings }: ScanResult): string {
  const lines = findings.map(
    ({ line, category, rule, description }) => `  line ${line}: ${category} (${rule}): ${description}`,
  );
  return [`${name}: ${verdict}`, ...lines].map((line) => `${escapeLine(line)}\n`).join('');
}

function withoutContent({ content: _content, ...result }: ScanResult): Omit<ScanResult, 'content'> {
  return result;
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
