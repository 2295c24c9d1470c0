/** Values of a JSON Schema as the document has it: valid ones, those at its bounds, and hostile ones of any type. */
import fc from 'fast-check';

export type Json = Readonly<Record<string, unknown>>;

/** Values by the name of a field: one that could reach beyond the sandbox, or harm a host, takes listed values alone. */
export type ValueTable = Readonly<Record<string, readonly unknown[]>>;

const hostile: readonly unknown[] = [
  ...[
    null,
    true,
    -1,
    0,
    1e308,
    2 ** 53,
    0.1,
    '',
    ' ',
    '\0',
    'a\0b',
    '%00',
    '%zz',
    '\ud800',
    '\u202e',
    '\u00e4\u{1f600}',
  ],
  ...['x'.repeat(70), 'x'.repeat(5000), '${x}', '$(true)', "'", '"', '\\', '\r\nX: y', '../none', '__proto__', '{}'],
  ...[[], {}, [[]], [null], { a: { b: { c: {} } } }, Array.from({ length: 200 }, () => 'x')],
];

const record = (value: unknown): Json => Object(value);
const max = 64;

export class Values {
  readonly #schemas: Json;
  readonly #named: ValueTable;

  constructor(schemas: Json, named: ValueTable) {
    this.#schemas = schemas;
    this.#named = named;
  }

  /** `name`: of the field. */
  of(schema: Json, name = ''): fc.Arbitrary<unknown> {
    const listed = this.#named[name];
    const usual = listed === undefined ? this.#valid(schema) : fc.constantFrom(...listed);
    // A list is closed: nothing beside it is sent under that name.
    return listed === undefined
      ? fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...hostile) })
      : usual;
  }

  #valid(schema: Json): fc.Arbitrary<unknown> {
    const { $ref, anyOf, oneOf, type, const: constant } = schema;
    if (typeof $ref === 'string') return this.#valid(record(this.#schemas[$ref.split('/').at(-1) ?? '']));
    const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : null;
    if (choices !== null) return fc.oneof(...choices.map((each) => this.#valid(record(each))));
    if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as readonly unknown[]));
    if (constant !== undefined) return fc.constant(constant);
    if (type === 'string') return textOf(schema);
    if (type === 'integer' || type === 'number') return numberOf(schema);
    if (type === 'boolean') return fc.boolean();
    if (type === 'null') return fc.constant(null);
    if (type === 'array') return this.#list(schema);
    if (type === 'object') return this.#object(schema);
    return fc.constantFrom(...hostile);
  }

  #list({ items, minItems, maxItems }: Json): fc.Arbitrary<unknown> {
    const maxLength = Math.min(Number(maxItems ?? 4), 4);
    return fc.array(this.of(record(items)), { minLength: Math.min(Number(minItems ?? 0), maxLength), maxLength });
  }

  #object({ properties, required, additionalProperties }: Json): fc.Arbitrary<unknown> {
    const fields = Object.entries(record(properties)).map(([key, each]) => [key, this.of(record(each), key)] as const);
    if (fields.length === 0)
      return fc.dictionary(fc.constantFrom('a', 'team', 'TOKEN'), this.of(record(additionalProperties)), {
        maxKeys: 3,
      });
    const keys = fields.map(([key]) => key).filter((key) => Array.isArray(required) && required.includes(key));
    const whole = fc.record(Object.fromEntries(fields), { requiredKeys: keys });
    const more = whole.map((value) => ({ ...record(value), notThere: 1 }));
    return fc.oneof({ weight: 20, arbitrary: whole }, { weight: 1, arbitrary: more });
  }
}

function textOf({ pattern, minLength, maxLength }: Json): fc.Arbitrary<string> {
  if (typeof pattern === 'string') return matching(pattern);
  const longest = Number(maxLength ?? max);
  const inBounds = fc.string({ minLength: Number(minLength ?? 0), maxLength: Math.min(longest, max) });
  const atBound = fc.constantFrom('x'.repeat(Math.min(longest, 9000)), 'x'.repeat(Math.min(longest + 1, 9000)));
  return fc.oneof({ weight: 5, arbitrary: inBounds }, { weight: 1, arbitrary: atBound });
}

/** A form with assertions, which the library does not make, is met by its hostile values alone. */
function matching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern));
  } catch {
    return fc.constantFrom('x', '0', 'a-b');
  }
}

function numberOf({ minimum, maximum, exclusiveMinimum, type }: Json): fc.Arbitrary<number> {
  const low = Number(minimum ?? exclusiveMinimum ?? -1);
  const high = Number(maximum ?? 1_000_000);
  const bounds = fc.constantFrom(low - 1, low, low + 1, high - 1, high, high + 1);
  const within =
    type === 'integer'
      ? fc.integer({ min: Math.ceil(low), max: Math.min(high, 2 ** 31) })
      : fc.double({ min: low, max: high, noNaN: true });
  return fc.oneof(within, bounds);
}
