/** The document that describes the API. */
import { expect, it } from 'vitest';
import { documentOf } from '../../src/http/openapi/document.ts';
import { nounOf, routes } from '../../src/http/table.ts';

const document = documentOf(routes, nounOf);
const text = JSON.stringify(document);

/** Every object of the document, with its place. */
function* objectsIn(value: unknown, at = ''): Generator<readonly [string, Readonly<Record<string, unknown>>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at, Object(value)];
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${at}/${key.replaceAll('/', '~1')}`);
}

const objects = [...objectsIn(document)];

it('has every route with its scope, and no other', () => {
  const operations = Object.entries(Object(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(Object(methods)).map(
      ([method, operation]) => `${method.toUpperCase()} ${path} ${Object(operation)['x-scope']}`,
    ),
  );
  expect(operations.toSorted()).toEqual(
    routes.map(({ method, path, scope }) => `${method} ${path} ${scope}`).toSorted(),
  );
});

it('gives each operation an id of its own, an answer, and the error', () => {
  const operations = objects.filter(([, each]) => 'operationId' in each).map(([, each]) => each);
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(routes.length);
  for (const { responses, operationId } of operations)
    expect([operationId, Object.keys(Object(responses))]).toEqual([
      operationId,
      [expect.stringMatching(/^20[014]$/), ...(operationId === 'getSandboxesFiles' ? ['304'] : []), '4XX', 'default'],
    ]);
});

it('has each operation under the noun of the API that it serves, and tickets under the service', () => {
  const tagged = objects.flatMap(([at, each]) => ('operationId' in each ? [[at, each['tags']] as const] : []));
  const tags = new Map(tagged.map(([at, each]) => [at, each]));
  expect(tags.get('/paths/~1v1~1hooks/post')).toEqual(['policy.hooks']);
  expect(tags.get('/paths/~1v1~1sandboxes~1{id}~1questions/put')).toEqual(['approvals']);
  expect(tags.get('/paths/~1v1~1execs~1{execId}/get')).toEqual(['execs']);
  expect(tagged.filter(([, each]) => String(each) === 'service').map(([at]) => at)).toEqual([
    '/paths/~1v1~1tickets/post',
  ]);
  const declared = Object(document['tags']).map(({ name }: { name: string }) => name);
  expect(new Set(declared)).toEqual(new Set(tagged.flatMap(([, each]) => each)));
  expect(declared.length).toBe(new Set(declared).size);
});

it('says what a parameter is beside its schema, and where the service is', () => {
  const id = Object(document['paths'])['/v1/sandboxes/{id}'].get.parameters[0];
  expect(id).toMatchObject({ name: 'id', description: 'A task id or a sandbox id.', schema: { type: 'string' } });
  expect(id.schema).not.toHaveProperty('description');
  expect(document['servers']).toEqual([expect.objectContaining({ url: '/' })]);
});

it('declares every parameter of each path, as required', () => {
  for (const [path, methods] of Object.entries(Object(document['paths'])))
    for (const operation of Object.values(Object(methods))) {
      const declared = Object(operation).parameters.filter((each: { in: string }) => each.in === 'path');
      expect(new Set(declared.map((each: { name: string }) => each.name))).toEqual(
        new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)),
      );
      expect(declared.every((each: { required: boolean }) => each.required)).toBe(true);
    }
});

it('refers to nothing that is not there, and has no words of its writer', () => {
  const refs = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref);
  expect(refs.length).toBeGreaterThan(20);
  for (const ref of refs) {
    const found = ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => Reflect.get(Object(at), key), document);
    expect([ref, typeof found]).toEqual([ref, 'object']);
  }
  expect(text).not.toMatch(/\$defs|\$schema|9007199254740991/);
});

it('names the schemas that clients work with', () => {
  const names = Object.keys(Object(Object(document['components']).schemas));
  for (const name of ['Sandbox', 'ExecRequest', 'ExecEvent', 'ExecResult', 'Exit', 'Problem', 'Approval', 'Token'])
    expect(names).toContain(name);
});

it('lets an answer have further keys, and a request none', () => {
  const { Sandbox, ExecRequest } = Object(Object(document['components']).schemas);
  expect(Sandbox.additionalProperties).toBeUndefined();
  expect(ExecRequest.additionalProperties).toBe(false);
});

it('says for every waitForApproval that false needs an execId', () => {
  const fields = objects.flatMap(([, { waitForApproval }]) => (waitForApproval === undefined ? [] : [waitForApproval]));
  expect(fields.length).toBeGreaterThan(0);
  for (const field of fields) expect(Object(field).description).toContain('execId, which must be given then');
});
