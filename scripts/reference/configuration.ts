/** Every key of the configuration: what it takes, its default and its variable, with the words of config/default.yaml. */
import { readFile } from 'node:fs/promises';
import { backends, usual } from '../../backends/index.ts';
import { backendKeys } from '../../src/config/backends.ts';
import { collectDefaults, unsectioned } from '../../src/config/defaults.ts';
import { expectationOf, buildSchema, single } from '../../src/config/schema.ts';
import { buildSwitches } from '../../src/config/switches.ts';
import { unitOf } from '../../src/config/units.ts';
import { code, escaped } from './page.ts';

type ReferenceFacts = Awaited<ReturnType<typeof gathered>>;

interface Commented {
  readonly section: string | null;
  readonly key: string;
  readonly comment: readonly string[];
}

export async function configurationReference(): Promise<string> {
  const known = await gathered();
  const text = await readFile(new URL('../../config/default.yaml', import.meta.url), 'utf8');
  const keys = commentedKeys(text);
  const sections = [...new Set(keys.map(({ section }) => section))].filter((section) => section !== null);
  const alone = keys.filter(({ section }) => section === null);
  return [
    ...sections.flatMap((section) => [
      `## ${section}`,
      escaped(known.about(section)),
      ...keys.filter((each) => each.section === section).flatMap((each) => entryOf(each, known)),
    ]),
    '## Keys without a section',
    ...alone.flatMap((each) => entryOf(each, known)),
  ].join('\n\n');
}

async function gathered() {
  const keys = backendKeys(usual, backends);
  const { document, sections } = await buildSchema(keys);
  const defaults = collectDefaults(keys);
  const variables = [...buildSwitches(defaults)].filter(([, each]) => each.single);
  const schemaAt = (section: string | null, key: string): unknown =>
    member(section === null ? single : member(member(sections, section), 'shape'), key);
  return {
    about: (section: string): string => textOf(member(member(document.shape, section), 'description')),
    expects: (section: string | null, key: string): string =>
      expectationOf(schemaAt(section, key)) ?? 'a mapping by name',
    defaultAt: (section: string | null, key: string): unknown =>
      member(section === null ? unsectioned : member(defaults, section), key),
    variable: (section: string | null, key: string): string | null =>
      variables.find(([, each]) => each.section === section && each.key === key)?.[0] ?? null,
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** The keys in the order of the file, each with the lines of the comment above it. */
function commentedKeys(text: string): readonly Commented[] {
  const found: Commented[] = [];
  let comment: string[] = [];
  let section: string | null = null;
  for (const line of text.split('\n')) {
    const [, indent = '', words, key, value] = /^( *)(?:# ?(.*)|([a-z0-9_]+): ?(.*))?$/.exec(line) ?? [];
    // What stands deeper is the value of a key.
    if (indent.length > 2) continue;
    if (words !== undefined) comment.push(words);
    else if (key !== undefined) {
      if (indent === '') section = value === '' ? key : null;
      if (indent !== '' || value !== '') found.push({ section, key, comment });
      comment = [];
    } else comment = [];
  }
  return found;
}

function entryOf({ section, key, comment }: Commented, known: ReferenceFacts): readonly string[] {
  const name = section === null ? key : `${section}.${key}`;
  const variable = known.variable(section, key);
  const expects = known.expects(section, key);
  const unit = section === null || expects.includes('such as') ? null : unitOf(section, key);
  const form = unit === null ? '' : `, or with a unit, such as ${unit === 'seconds' ? '5m' : '2g'}`;
  return [
    `### ${name}`,
    [
      `- Value: ${escaped(expects)}${form}`,
      `- Default: ${code(JSON.stringify(known.defaultAt(section, key)))}`,
      `- Variable: ${variable === null ? 'none, the file alone' : code(variable)}`,
    ].join('\n'),
    ...paragraphs(comment),
  ];
}

/** Indented lines of a comment are examples in YAML. */
function paragraphs(comment: readonly string[]): readonly string[] {
  const words = comment.filter((line) => !line.startsWith('  ')).join(' ');
  const example = comment.filter((line) => line.startsWith('  ')).map((line) => line.slice(2));
  return [escaped(words), ...(example.length === 0 ? [] : [`\`\`\`yaml\n${example.join('\n')}\n\`\`\``])];
}
