/** The schema of the file as JSON schema, for editors. `config/schema.json` is what this gives. */
import { z } from 'zod';
import { type BackendKeys } from './backends.ts';
import { defaultsOf } from './defaults.ts';
import { schemaOf } from './schema.ts';
import type { Settings } from './types.ts';

/** JSON schema, draft 2020-12. */
export async function configSchema(backends: BackendKeys): Promise<object> {
  const { document } = await schemaOf(backends);
  const defaults = defaultsOf(backends);
  return {
    ...z.toJSONSchema(document, {
      io: 'input',
      override: ({ zodSchema, jsonSchema, path }) => {
        if (zodSchema instanceof z.ZodOptional) Object.assign(jsonSchema, defaultAt(defaults, path));
      },
    }),
    title: 'Caisson configuration',
  };
}

/** Defaults are plain data elsewhere; here they join the keys of the sections, and not the overrides of tasks. */
function defaultAt(defaults: Settings, path: readonly (string | number)[]): { readonly default?: unknown } {
  const [, section, , key] = path;
  const values: unknown = Reflect.get(defaults, String(section));
  if (path.length !== 4 || typeof values !== 'object' || values === null) return {};
  return { default: Reflect.get(values, String(key)) };
}
