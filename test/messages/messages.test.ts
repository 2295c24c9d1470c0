/**
 * Every error of the product on one page, as people read it. A change of a message is a change of that page, seen in review;
 * `npx vitest run test/messages -u` writes it anew.
 */
import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';
import { readSources } from '../architecture/imports.ts';

const root = new URL('../..', import.meta.url).pathname;

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string';

/** `{}` stands for what is put in when it happens. `null`: it is put together elsewhere. */
function textOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null;
  if (node.type !== 'TemplateLiteral') return null;
  const parts: unknown = node['quasis'];
  return Array.isArray(parts) ? parts.map((part) => String(part.value.cooked)).join('{}') : null;
}

function remedyOf(options: unknown): string | null {
  const properties: unknown = isNode(options) ? options['properties'] : null;
  if (!Array.isArray(properties)) return null;
  const found = properties.find(
    (property) => isNode(property) && isNode(property['key']) && property['key']['name'] === 'remedy',
  );
  return isNode(found) ? textOf(found['value']) : null;
}

function messagesIn(path: string, text: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const callee: unknown = Reflect.get(node, 'callee');
    if (isNode(node) && node.type === 'NewExpression' && isNode(callee) && callee['name'] === 'CaissonError') {
      const args: unknown = node['arguments'];
      const [code, message, options]: readonly unknown[] = Array.isArray(args) ? args : [];
      const shown = textOf(message);
      const remedy = remedyOf(options);
      if (shown !== null)
        found.push(`${textOf(code) ?? '?'}: ${shown}${remedy === null ? '' : `\n    try: ${remedy}`}`);
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(path, text).program);
  return found;
}

it('every error has its line on the page of messages', async () => {
  const sources = await readSources(root, ['src/**/*.ts', 'backends/**/*.ts', 'emulators/**/*.ts', 'images/**/*.ts']);
  const messages = [...sources].flatMap(([path, text]) => messagesIn(path, text));
  expect(messages.length).toBeGreaterThan(300);
  await expect(`${[...new Set(messages)].toSorted().join('\n')}\n`).toMatchFileSnapshot('./messages.txt');
});
