/** The configuration with the keys of all backends, as the composition root has it. */
import { backends, usual } from '../../backends/index.ts';
import { backendKeys } from '../../src/config/backends.ts';
import { defaultsOf } from '../../src/config/defaults.ts';
import { schemaOf } from '../../src/config/schema.ts';

export const known = backendKeys(usual, backends);
export const defaults = defaultsOf(known);
export const schema = await schemaOf(known);
