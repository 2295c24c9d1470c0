/** The definitions of the emulator against the codecs in the installed SDK, which exports none of them: field by field. */
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { loadDefinitions } from '../../../emulators/modal/wire.ts';

interface Codec {
  decode(bytes: Uint8Array): object;
  encode(message: object): { finish(): Uint8Array };
}

interface Method {
  readonly name: string;
  readonly requestType: Codec;
  readonly requestStream: boolean;
  readonly responseType: Codec;
  readonly responseStream: boolean;
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly label: string;
  readonly typeName: string;
  readonly oneofIndex?: number;
  readonly proto3Optional?: boolean;
}

interface Descriptor {
  readonly name: string;
  readonly field: readonly Field[];
  readonly nestedType: readonly (Descriptor & { readonly options?: { readonly mapEntry?: boolean } | null })[];
}

interface Side {
  readonly type: Descriptor;
}

interface Loaded {
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestType: Side;
  readonly responseType: Side;
  requestSerialize(message: object): Buffer;
  requestDeserialize(bytes: Buffer): object;
  responseSerialize(message: object): Buffer;
  responseDeserialize(bytes: Buffer): object;
}

const names = { ModalClient: 'ModalClientDefinition', TaskCommandRouter: 'TaskCommandRouterDefinition' } as const;

function codecsOfSdk(): Readonly<Record<string, Readonly<Record<string, Method>>>> {
  const path = createRequire(import.meta.url).resolve('modal');
  const module = new Module(path);
  Object.assign(module, { filename: path, paths: Reflect.get(Module, '_nodeModulePaths')(dirname(path)) });
  const more = `\nmodule.exports.codecs = { ${Object.values(names).join(', ')} };\n`;
  Reflect.get(module, '_compile').call(module, `${readFileSync(path, 'utf8')}${more}`, path);
  const codecs = module.exports.codecs as Record<string, { methods: Record<string, Method> }>;
  return Object.fromEntries(
    Object.entries(names).map(([service, name]) => [
      service,
      Object.fromEntries(Object.values(codecs[name]?.methods ?? {}).map((method) => [method.name, method])),
    ]),
  );
}

const definitions = loadDefinitions();
const messages = new Map(
  Object.values(definitions)
    .flatMap((entry) => ('type' in entry ? [entry.type as unknown as Descriptor] : []))
    .map((type) => [type.name, type]),
);
const sdk = codecsOfSdk();
const methods = Object.entries(names).flatMap(([service]) => {
  const packages = { ModalClient: 'modal.client', TaskCommandRouter: 'modal.task_command_router' } as const;
  const loaded = definitions[`${packages[service as keyof typeof names]}.${service}`] as unknown as Record<
    string,
    Loaded
  >;
  return Object.entries(loaded).map(([name, method]) => ({ name, method, theirs: sdk[service]?.[name] }));
});

/** A message with every field set; of a choice, the `choice`th member. */
function filled(type: Descriptor, choice: number): object {
  const groups = new Map<number, Field[]>();
  for (const field of type.field)
    if (field.oneofIndex !== undefined && field.proto3Optional !== true)
      groups.set(field.oneofIndex, [...(groups.get(field.oneofIndex) ?? []), field]);
  const left = type.field.filter((field) => {
    const group = [...groups.values()].find((fields) => fields.includes(field));
    return group === undefined || group[choice % group.length] === field;
  });
  return Object.fromEntries(left.map((field) => [camel(field.name), valueOf(type, field, choice)]));
}

function valueOf(type: Descriptor, field: Field, choice: number): unknown {
  const nested = type.nestedType.find(({ name }) => name === field.typeName.split('.').at(-1));
  if (nested !== undefined) return { key: 'value' };
  const one = oneOf(field, choice);
  return field.label === 'LABEL_REPEATED' ? [one] : one;
}

function oneOf({ type, typeName }: Field, choice: number): unknown {
  if (type === 'TYPE_STRING') return 'text';
  if (type === 'TYPE_BYTES') return Buffer.from([0, 255, 7]);
  if (type === 'TYPE_BOOL') return true;
  if (type === 'TYPE_FLOAT' || type === 'TYPE_DOUBLE') return 1.5;
  if (type !== 'TYPE_MESSAGE') return 7;
  const message = messages.get(typeName.split('.').at(-1) ?? '');
  if (message === undefined) throw new Error(`no message ${typeName}`);
  return filled(message, choice);
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}

it('has more than twenty methods of the service', () => expect(methods.length).toBeGreaterThan(20));

it.each(methods)('$name has the fields that the SDK reads and writes', ({ method, theirs }) => {
  if (theirs === undefined) throw new Error('the SDK does not know this method');
  expect([method.requestStream, method.responseStream]).toEqual([theirs.requestStream, theirs.responseStream]);
  for (const choice of [0, 1, 2]) {
    const request = filled(method.requestType.type, choice);
    const response = filled(method.responseType.type, choice);
    const read = theirs.requestType.decode(method.requestSerialize(request));
    expect(read).toMatchObject(request);
    expect(method.requestDeserialize(Buffer.from(theirs.requestType.encode(read).finish()))).toMatchObject(request);
    const answer = theirs.responseType.decode(method.responseSerialize(response));
    expect(answer).toMatchObject(response);
    expect(method.responseDeserialize(Buffer.from(theirs.responseType.encode(answer).finish()))).toMatchObject(
      response,
    );
  }
});
