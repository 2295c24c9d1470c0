import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ScanResult, SkillFinding, SkillScan } from '../../service/api.ts';
import { CaissonError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { UsageError } from '../usage.ts';

/** One byte more than is looked at, so that a longer file is seen to be one. */
const maxBytes = 256 * 1024 + 1;

export const scan = defineCommand({
  name: 'scan',
  summary: 'Look for prompt injection in files, and judge skills',
  about: `Files such as AGENTS.md, .cursorrules and SOUL.md: orders to ignore instructions, hidden HTML, reads of
secrets, ways to send them away, invisible and look-alike characters. - is standard input.
A directory is a skill: its SKILL.md and its scripts are judged as they are before --skill or
terminal.skills uses them: injection, undeclared secrets, ways to send data away, destruction,
persistence, obfuscation. safe and caution are used, dangerous is refused until it is approved.
Exits 1 when a file is blocked or a skill is dangerous. It finds what is known, and proves nothing
about the rest. An approval is for exactly these bytes, of a skill for exactly its files.`,
  operands: [{ name: 'FILE|DIR', count: 'many' }],
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
    ['a skill, before it is used', 'scan skills/gifs'],
  ],
  run: async (given, context) => {
    if (given.flag('content') && given.flag('approve')) throw new UsageError('give one of --content and --approve');
    const [content, approving] = [given.flag('content'), given.flag('approve')];
    const results: (ScanResult | SkillScan)[] = [];
    for (const name of given.operands) {
      const result = isDirectory(name, context)
        ? await scannedSkill(name, context, { content, approving })
        : await scanned(name, context, approving);
      results.push(result);
      if (!context.json) await context.print(textOf(result, content));
    }
    if (context.json) await context.printJson(content ? results : results.map(withoutContent));
    return results.some(isRefused) ? 1 : 0;
  },
});

const isSkill = (result: ScanResult | SkillScan): result is SkillScan => 'accepted' in result;
const isRefused = (result: ScanResult | SkillScan): boolean =>
  isSkill(result) ? result.verdict === 'dangerous' && !result.accepted : result.verdict === 'blocked';

function isDirectory(name: string, { world }: Context): boolean {
  return name !== '-' && statSync(resolve(world.cwd, name), { throwIfNoEntry: false })?.isDirectory() === true;
}

async function scannedSkill(
  name: string,
  context: Context,
  { content, approving }: { readonly content: boolean; readonly approving: boolean },
): Promise<SkillScan> {
  if (content) throw new UsageError('--content is for files, and this is a directory', { remedy: 'leave it out' });
  const { secrets } = await context.local();
  const directory = resolve(context.world.cwd, name);
  const result = await secrets.scanSkill(directory);
  if (!approving || result.verdict === 'safe' || result.accepted) return result;
  await secrets.acceptSkill(result);
  return await secrets.scanSkill(directory);
}

function textOf(result: ScanResult | SkillScan, content: boolean): string {
  if (isSkill(result)) return describeSkill(result);
  return content ? ended(result.content) : describe(result);
}

function describeSkill({ path, verdict, accepted, findings }: SkillScan): string {
  const head = `${path}: ${verdict}${accepted ? ', accepted' : ''}`;
  return [head, ...findings.map(skillLine)].map((line) => `${escapeLine(line)}\n`).join('');
}

const skillLine = ({ file, line, severity, category, description }: SkillFinding): string =>
  `  ${file}${line === null ? '' : `:${line}`}: ${severity}: ${category}: ${description}`;

async function scanned(name: string, context: Context, approving: boolean): Promise<ScanResult> {
  const { secrets } = await context.local();
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
      if (length >= maxBytes) break;
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

function withoutContent(result: ScanResult | SkillScan): Omit<ScanResult, 'content'> | SkillScan {
  if (isSkill(result)) return result;
  const { content: _content, ...rest } = result;
  return rest;
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
