/** Requests from the document of the service alone: each operation with its parameters and its body. */
import fc from 'fast-check';
import { type Json, type ValueTable, Values } from './values.ts';

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  /** That the token needs. */
  readonly scope: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const record = (value: unknown): Json => Object(value);

export function requestsOf(document: Json, named: ValueTable): fc.Arbitrary<FuzzRequest> {
  const values = new Values(record(record(document['components'])['schemas']), named);
  const operations = Object.entries(record(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(record(methods)).map(([method, each]) => operationOf(values, { path, method, each: record(each) })),
  );
  return fc.oneof(...operations);
}

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly each: Json;
}

function operationOf(values: Values, { path, method, each }: Operation): fc.Arbitrary<FuzzRequest> {
  const parameters = (Array.isArray(each['parameters']) ? each['parameters'] : []).map(record);
  const of = (place: string) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter['in'] === place)
        .map((parameter) => [
          String(parameter['name']),
          values.of(record(parameter['schema']), String(parameter['name'])),
        ]),
    );
  const content = record(record(each['requestBody'])['content']);
  const [type] = Object.keys(content);
  const body = type === 'application/json' ? values.of(record(record(content[type])['schema'])) : fc.string();
  const answers = Object.values(record(each['responses'])).flatMap((answer) =>
    Object.keys(record(record(answer)['content'])),
  );
  const wanted = fc.constantFrom(...answers, '*/*');
  const accept = fc.oneof(
    { weight: 15, arbitrary: wanted },
    { weight: 1, arbitrary: fc.constantFrom('x', 'text/html', '') },
  );
  return fc
    .record({
      inPath: fc.record(of('path')),
      query: fc.record(of('query'), { requiredKeys: [] }),
      accept,
      body,
      cut: fc.constantFrom(...Array.from({ length: 30 }, (_, index) => index === 0)),
    })
    .map(({ inPath, query, accept: chosen, body: given, cut }) => {
      const at = path.replaceAll(/\{(\w+)\}/g, (_all, key: string) => encoded(record(inPath)[key]));
      const search = Object.entries(record(query)).map(([key, value]) => `${key}=${encoded(value)}`);
      const text = type === undefined ? null : type === 'application/json' ? JSON.stringify(given) : String(given);
      return {
        method: method.toUpperCase(),
        path: search.length === 0 ? at : `${at}?${search.join('&')}`,
        scope: String(each['x-scope']),
        headers: { accept: chosen, ...(type === undefined ? {} : { 'content-type': type }) },
        body: cut && text !== null ? text.slice(0, text.length / 2) : text,
      };
    });
}

/** A value as a client writes it in a URL: lone surrogates become U+FFFD, and text that begins with `%` stays as it is. */
function encoded(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.startsWith('%') ? text : encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E');
}
