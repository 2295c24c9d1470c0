/**
 * The process of a test file is set up as one of Caisson's own. At its end it writes what Node has compiled: vitest kills its
 * processes, and Node does so at an exit in order only.
 */
import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';
import { keepToOneTier } from '../bin/one-tier.cjs';

keepToOneTier();

afterAll(() => flushCompileCache());
