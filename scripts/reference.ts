/** `node scripts/reference.ts`: writes the generated parts of docs/configuration.md and docs/command-line.md anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commandReference } from './reference/commands.ts';
import { configurationReference } from './reference/configuration.ts';
import { withPart } from './reference/page.ts';

const docs = fileURLToPath(new URL('../docs/', import.meta.url));
const parts = { 'configuration.md': configurationReference, 'command-line.md': commandReference };
for (const [name, part] of Object.entries(parts))
  writeFileSync(docs + name, withPart(readFileSync(docs + name, 'utf8'), await part()));
