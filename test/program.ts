/**
 * The command line that tests start. In a whole run it is that of the package, which `scratch.ts` has unpacked and which starts with a
 * third of the processor time; elsewhere that of the checkout, which Node compiles at every start and which is never out of date.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('..', import.meta.url));
const root = process.env['CAISSON_TEST_PROGRAM'] ?? checkout;

export const program = join(root, 'bin/caisson.cjs');
export const launcher = join(root, 'bin/caisson');
/** Runs from its sources. */
export const sourceProgram = join(checkout, 'bin/caisson.cjs');
