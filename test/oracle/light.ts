/**
 * This host without a state directory: the exec room on processes of its own, by the watched direct path and by lanes. It starts in
 * milliseconds.
 */
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../../src/backend.ts';
import { LanedSandbox } from '../../src/exec/lane/laned.ts';
import { startExec } from '../../src/exec/start.ts';
import { bare, requestFor } from '../exec/requests.ts';
import { spawnedSandbox } from '../exec/spawned-sandbox.ts';
import { collected, textOf } from './ours.ts';
import type { OraclePlace, PlaceSource } from './place.ts';
import { placeOf } from './places/put-together.ts';

export const light: PlaceSource = { name: 'light', unavailable: null, open };

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

async function open(): Promise<OraclePlace> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'oracle-')));
  const env = { PATH, HOME: root, LANG: 'C.UTF-8' };
  const relayed: Sandbox = { ...spawnedSandbox(), relay: true };
  const direct = new LanedSandbox(relayed, null, { enabled: false });
  const laned = new LanedSandbox(relayed, null);
  const run: OraclePlace['run'] = async (path, each) => {
    const request = requestFor(['bash', '-c', textOf(each)], { cwd: each.directory, env });
    return await collected(await startExec(path === 'direct' ? direct : laned, request, bare));
  };
  const bash: OraclePlace['bash'] = (text, { directory, stdin, tty }) => {
    return { argv: ['bash', '-c', text], cwd: directory, env, stdin, tty };
  };
  const end = async (): Promise<void> => await Promise.resolve([direct, laned].forEach((sandbox) => sandbox.close()));
  return await placeOf({ name: 'light', root, bash, hasTerminals: false }, { run, end });
}
