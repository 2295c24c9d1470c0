/** What the host tells about itself. Asked once. */
import { CaissonError } from '../../src/errors.ts';
import { shellText } from '../../src/lib/script.ts';
import type { Pool } from './pool.ts';
import { limitNames } from './guarantees.ts';
import { run } from './run.ts';
import { parseScope, scopeProbe, type Scopes } from './scope.ts';

export interface Facts {
  readonly kernel: string;
  readonly architecture: string;
  readonly name: string;
  readonly user: string;
  readonly uid: number;
  readonly home: string;
  /** Directory of the registrations and of the tasks' own directories. */
  readonly root: string;
  /** Programs that are needed and not there. */
  readonly missing: readonly string[];
  /** `null`: no systemd there starts scopes for this account. */
  readonly scopes: Scopes | null;
}

export async function askFacts(pool: Pool): Promise<Facts> {
  const { code, stdout } = await run(pool, { script: shellText('backends/ssh/facts'), args: [scopeProbe] });
  const answers = new Map(
    stdout.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const value = (key: string): string => (answers.get(key) ?? '').slice(0, 1024);
  if (code !== 0 || ![value('root'), value('home')].every((path) => path.startsWith('/')))
    throw new CaissonError('not_supported', 'the host does not answer as a POSIX system with a home directory', {
      remedy: 'use a host with Linux, and an account with a home',
    });
  return {
    kernel: value('kernel'),
    architecture: value('architecture'),
    name: value('name'),
    user: value('user'),
    uid: Number(value('uid')),
    home: value('home'),
    root: value('root'),
    missing: value('missing').split(' ').filter(Boolean),
    scopes: parseScopes(value('scope'), value('holds').split(' ')),
  };
}

function parseScopes(said: string, holds: readonly string[]): Scopes | null {
  const scope = parseScope(said);
  return scope === null ? null : { scope, holds: limitNames.filter((name) => holds.includes(name)) };
}
