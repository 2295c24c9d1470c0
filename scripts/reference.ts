/** `node scripts/reference.ts`: writes the generated parts of pages in docs/ anew, and docs/openapi.json. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commandReference } from './reference/commands.ts';
import { configurationReference } from './reference/configuration.ts';
import { openapiDocument, routeReference } from './reference/http.ts';
import { libraryReference } from './reference/library.ts';
import { withPart } from './reference/page.ts';

const docs = fileURLToPath(new URL('../docs/', import.meta.url));
const parts = {
  'configuration.md': configurationReference,
  'command-line.md': commandReference,
  'http-api.md': routeReference,
  'library.md': libraryReference,
};
for (const [name, part] of Object.entries(parts))
  writeFileSync(docs + name, withPart(readFileSync(docs + name, 'utf8'), await part()));
writeFileSync(`${docs}openapi.json`, openapiDocument());
