/** The schema of the file as JSON schema, for editors. `config/schema.json` is what this gives. */
import { z } from 'zod';
import { type BackendKeys } from './backends.ts';
import { collectDefaults } from './defaults.ts';
import { buildSchema } from './schema.ts';
import type { Settings } from './types.ts';
import { unitForms, unitOf } from './units.ts';
import { given } from '../lib/given.ts';

/** JSON schema, draft 2020-12. */
export async function configSchema(backends: BackendKeys): Promise<object> {
  const { document } = await buildSchema(backends);
  const defaults = collectDefaults(backends);
  return {
    ...z.toJSONSchema(document, {
      io: 'input',
      override: ({ zodSchema, jsonSchema, path }) => {
        if (!(zodSchema instanceof z.ZodOptional)) return;
        const form = formAt(path);
        if (form !== null) Object.assign(jsonSchema, withForm(jsonSchema, form));
        Object.assign(jsonSchema, defaultAt(defaults, path));
      },
    }),
    title: 'Caisson configuration',
  };
}

/** Pattern of an amount with a unit, in sections and in the overrides of tasks. `null`: the key takes no unit. */
function formAt(path: readonly (string | number)[]): string | null {
  const key = String(path.at(-1));
  const section = path[1] === 'tasks' ? 'terminal' : String(path[1]);
  const isKey = path.at(-2) === 'properties' && path.length === (path[1] === 'tasks' ? 5 : 4);
  const unit = isKey ? unitOf(section, key) : null;
  return unit === null ? null : unitForms[unit];
}

function withForm(schema: z.core.JSONSchema.BaseSchema, pattern: string): object {
  const { description, ...rest } = schema;
  for (const name of Object.keys(rest)) Reflect.deleteProperty(schema, name);
  return { ...given({ description }), anyOf: [rest, { type: 'string', pattern }] };
}

/** Defaults are plain data elsewhere; here they join the keys of the sections, and not the overrides of tasks. */
function defaultAt(defaults: Settings, path: readonly (string | number)[]): { readonly default?: unknown } {
  const [, section, , key] = path;
  const values: unknown = Reflect.get(defaults, String(section));
  if (path.length !== 4 || typeof values !== 'object' || values === null) return {};
  return { default: Reflect.get(values, String(key)) };
}
