/** Runs the Python that pages show, on a service of this host. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { homeFor } from '../api/subjects/embedded.ts';
import { python } from './python.ts';
import { foreignService, type ForeignService } from './service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const shown: Readonly<Record<string, RegExp>> = {
  'clients/python/README.md':
    /^3 hi\n\nstdout b'one\\n'\nstderr b'two\\n'\nexited 0\nb'let a = 2\\n'\nthere is no \/no\/such\/file in the sandbox .+\n$/,
  'docs/agents.md': /^hi\n\nhi\n\n$/,
};

let service: ForeignService;
beforeAll(async () => void (service = await foreignService(homeFor('{backend: local}', {}, ''))), 60_000);
afterAll(() => service[Symbol.asyncDispose](), 60_000);

it.each(Object.entries(shown))('%s prints what it says', { timeout: 60_000 }, async (page, wanted) => {
  expect(await python(['documented.py', `${root}${page}`], service.env)).toMatch(wanted);
});
