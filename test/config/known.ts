/** The configuration with the keys of all backends, as the composition root has it. */
import { backends, usual } from '../../backends/index.ts';
import { backendKeys } from '../../src/config/backends.ts';
import { collectDefaults } from '../../src/config/defaults.ts';
import { buildSchema } from '../../src/config/schema.ts';

export const known = backendKeys(usual, backends);
export const defaults = collectDefaults(known);
export const schema = await buildSchema(known);
