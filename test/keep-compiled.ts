/** Ends each test file: vitest kills its processes, and Node writes what it compiled at an exit in order only. */
import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

afterAll(() => flushCompileCache());
