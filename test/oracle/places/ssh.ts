/** An account of a real sshd on loopback, and OpenSSH's own client. */
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sshd, startSshd, whyNoSshd } from '../../engines/sshd.ts';
import type { Damage } from '../defects/defect.ts';
import type { OraclePlace, PlaceSource } from '../place.ts';
import { openOurs } from './opened.ts';
import { placeOf } from './put-together.ts';

export const ssh: PlaceSource = { name: 'ssh', unavailable: whyNoSshd(), open };

async function open(damage?: Damage): Promise<OraclePlace> {
  const sshd = await startSshd();
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'oracle-')));
  const keys = Object.entries(sshd.settings).map(([key, value]) => `ssh_${key}: ${JSON.stringify(value)}`);
  // Its client finds the key of the host in the home directory.
  const opened = await openOurs({ terminal: `backend: ssh, ${keys.join(', ')}`, env: { HOME: sshd.home } }, damage);
  const bash: OraclePlace['bash'] = (text, { directory, stdin, tty }) => {
    // A shell that has one command only would be replaced by it, and the client shows 255 for every signal. What that shell says of
    // the signal is not the command's.
    const remote = `cd ${quoted(directory)} && exec 3>&2 2>/dev/null && bash -c ${quoted(text)} 2>&3 3>&-; exit $?`;
    return { argv: [...clientOf(sshd, root), ...(tty ? ['-tt'] : []), '127.0.0.1', remote], stdin, tty };
  };
  const end = async (): Promise<void> => {
    await opened[Symbol.asyncDispose]();
    await sshd.stop();
  };
  return await placeOf({ name: 'ssh', root, bash, hasTerminals: true }, { run: opened.run, end });
}

function clientOf({ home, port, settings }: Sshd, root: string): readonly string[] {
  const shared = { ControlMaster: 'auto', ControlPath: `${root}.mux`, ControlPersist: '5' };
  const known = { UserKnownHostsFile: join(home, '.ssh/known_hosts'), IdentityFile: settings.key };
  const options = { BatchMode: 'yes', LogLevel: 'ERROR', ...known, ...shared };
  return [
    'ssh',
    '-F',
    'none',
    '-p',
    String(port),
    ...Object.entries(options).flatMap(([key, value]) => ['-o', `${key}=${value}`]),
  ];
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
