/** `node scripts/picture.ts`: draws the rooms of the house anew in docs/architecture.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSources } from '../test/architecture/imports.ts';
import { withPicture } from '../test/architecture/picture.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = `${root}docs/architecture.md`;
const sources = await readSources(root, [
  'src/**/*.{ts,tsx}',
  'backends/**/*.ts',
  'emulators/**/*.ts',
  'images/**/*.ts',
]);
writeFileSync(page, withPicture(readFileSync(page, 'utf8'), sources));
