/** This host: bash as any program starts it. */
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OraclePlace, PlaceSource } from '../place.ts';
import type { Damage } from '../defects/defect.ts';
import { collected } from '../ours.ts';
import { type OpenOraclePlace, openOurs, taskId } from './opened.ts';
import { placeOf } from './put-together.ts';

export const local: PlaceSource = { name: 'local', unavailable: null, open };

async function open(damage?: Damage): Promise<OraclePlace> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'oracle-')));
  const opened = await openOurs({ terminal: 'backend: local', env: { PATH: systemPath } }, damage);
  const env = await environmentOf(opened);
  const bash: OraclePlace['bash'] = (text, { directory, stdin, tty }) => {
    return { argv: ['bash', '-c', text], cwd: directory, env, stdin, tty };
  };
  const end = async (): Promise<void> => await opened[Symbol.asyncDispose]();
  return await placeOf({ name: 'local', root, bash, hasTerminals: false }, { run: opened.run, end });
}

/** Without programs of this account, which may be wrappers that are slow or say more than the program. */
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What commands inherit there is configured, and no engine says otherwise: the raw side has it without Caisson's own. */
async function environmentOf({ direct }: OpenOraclePlace): Promise<Readonly<Record<string, string>>> {
  const started = await direct.execs.start({ taskId, command: ['env', '-0'] });
  const { stdout } = await collected(started);
  const pairs = stdout
    .toString()
    .split('\0')
    .filter((pair) => pair !== '' && !/^CAISSON_/.test(pair));
  return Object.fromEntries(pairs.map((pair) => [pair.replace(/=.*$/s, ''), pair.replace(/^[^=]*=/, '')]));
}
