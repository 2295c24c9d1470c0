/** Verbs of the HTTP API with their routes, and its OpenAPI document. */
import { documentOf } from '../../src/http/openapi/document.ts';
import type { Route } from '../../src/http/route.ts';
import { nounOf, routes, table } from '../../src/http/table.ts';
import { membersOf } from '../../src/service/verbs/row.ts';
import { code, escaped } from './page.ts';

export function routeReference(): string {
  const served = Object.entries(table).flatMap(([verb, entry]) =>
    'none' in entry ? [] : entry.map((route) => `| ${code(verb)} | ${lineOf(route)} |`),
  );
  const unserved = Object.entries(table).flatMap(([verb, entry]) =>
    'none' in entry ? [`| ${code(verb)} | ${escaped(entry.none)} |`] : [],
  );
  return [
    '## Verbs and their routes',
    'The scope that a token needs stands beside the route.',
    ['| verb | route | scope |', '|---|---|---|', ...served].join('\n'),
    '## What no client reaches',
    ['| verb | why |', '|---|---|', ...unserved].join('\n'),
  ].join('\n\n');
}

const lineOf = ({ method, path, scope, orScope }: Route): string =>
  `${code(`${method} ${path}`)} | ${code(scope)}${orScope === undefined ? '' : ` or ${code(orScope)}`}`;

/** One path and one schema a line, so that a change shows what it changes. */
export function openapiDocument(): string {
  const { paths, components, ...rest } = documentOf(routes, nounOf);
  const { schemas, ...others } = membersOf(components);
  const head = JSON.stringify(rest, null, 2).slice(0, -2);
  const shared = JSON.stringify(others, null, 2).slice(2, -2).replaceAll('\n', '\n  ');
  return `${head},
  "paths": {${linesOf(paths)}
  },
  "components": {
  ${shared},
    "schemas": {${linesOf(schemas, '  ')}
    }
  }
}
`;
}

const linesOf = (all: unknown, indent = ''): string =>
  Object.entries(membersOf(all))
    .map(([name, value]) => `\n    ${indent}${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',');
