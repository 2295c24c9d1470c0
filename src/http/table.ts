/**
 * Every verb of the API and where it is reached: by which routes, or by none and why. A verb that is missing here fails the
 * build; a test compares the table with the API and with the routes.
 */
import type { CaissonApi } from '../service/api.ts';
import type { None } from './made.ts';
import type { Route } from './route.ts';
import * as access from './routes/access.ts';
import * as admin from './routes/admin.ts';
import * as approvals from './routes/approvals.ts';
import * as events from './routes/events.ts';
import * as execs from './routes/execs.ts';
import * as files from './routes/files.ts';
import * as network from './routes/network.ts';
import * as pool from './routes/pool.ts';
import * as policy from './routes/policy.ts';
import * as processes from './routes/processes.ts';
import * as sandboxes from './routes/sandboxes.ts';
import * as sessions from './routes/sessions.ts';
import { stdinRoutes } from './routes/stdin.ts';

type Act = (...args: never[]) => unknown;

/** `sandboxes.create`, `policy.hooks.list`: the path of every function. */
type VerbsOf<Api> = {
  [Name in keyof Api & string]: Api[Name] extends Act
    ? Name
    : Api[Name] extends object
      ? `${Name}.${VerbsOf<Pick<Api[Name], FunctionsOf<Api[Name]>>>}`
      : never;
}[keyof Api & string];

/** Functions and nouns that a noun holds; anything else, such as the settings of the server, does not count as a verb. */
type FunctionsOf<Noun> = {
  [Name in keyof Noun]: Noun[Name] extends Act ? Name : Noun[Name] extends Readonly<Record<string, Act>> ? Name : never;
}[keyof Noun];

export type Verb = VerbsOf<CaissonApi>;

const none = (why: string): None => ({ none: why });

export const table: Readonly<Record<Verb, readonly Route[] | None>> = {
  run: none('the short form of execs.run'),
  exec: none('the short form of execs.start'),
  close: none('a signal ends the service'),
  ...sandboxes.sandboxRoutes,
  ...execs.execRoutes,
  ...processes.processRoutes,
  ...sessions.sessionRoutes,
  ...files.fileRoutes,
  ...pool.poolRoutes,
  ...approvals.approvalRoutes,
  ...policy.policyRoutes,
  ...network.networkRoutes,
  ...policy.hookRoutes,
  ...policy.auditRoutes,
  ...events.historyRoutes,
  ...events.eventRoutes,
  ...admin.imageRoutes,
  ...admin.secretRoutes,
  ...access.accessRoutes,
  ...admin.tokenRoutes,
  ...admin.backendRoutes,
  ...admin.mcpServerRoutes,
  ...admin.installationRoutes,
  ...admin.configRoutes,
};

/** Name of the noun that each route serves first, as the API has it: `sandboxes`, `policy.hooks`. */
export const nounOf: ReadonlyMap<Route, string> = new Map([
  ...stdinRoutes.map((each) => [each, 'execs'] as const),
  ...Object.entries(table)
    .toReversed()
    .flatMap(([verb, entry]) =>
      'none' in entry ? [] : entry.map((each) => [each, verb.replace(/\.\w+$/, '')] as const),
    ),
]);

/** Each once, in the order of the table; and those that serve the service alone. */
export const routes: readonly Route[] = [
  ...new Set(Object.values(table).flatMap((entry) => ('none' in entry ? [] : entry))),
  ...[...stdinRoutes, admin.createTicket],
];
