/** An instance of a real Apptainer, and `apptainer exec` into it as the account that runs it. */
import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findAccount } from '../../../backends/singularity/account.ts';
import { accountsFile, ownerOf } from '../../../backends/singularity/places.ts';
import { asAccount } from '../../../backends/singularity/program.ts';
import { type Apptainer, startApptainer, whyNoApptainer } from '../../engines/apptainer.ts';
import { makeDockerArchive } from '../../engines/docker-archive.ts';
import { archiveOf } from '../../engines/images.ts';
import { toolsImage } from '../../engines/tools-image.ts';
import type { Damage } from '../defects/defect.ts';
import type { OraclePlace, PlaceSource } from '../place.ts';
import { openOurs } from './opened.ts';
import { placeOf } from './put-together.ts';

const run = promisify(execFile);

export const singularity: PlaceSource = { name: 'singularity', unavailable: whyNot(), open };

function whyNot(): string | null {
  const why = whyNoApptainer();
  if (why !== null) return why;
  if (process.getuid?.() !== 0) return 'it is run as root here, which hands over to an account without rights';
  return existsSync(archiveOf(toolsImage)) ? null : 'the image of tools is missing: run `npm run engines`';
}

async function open(damage?: Damage): Promise<OraclePlace> {
  const apptainer = await startApptainer();
  const image = await imageOf(apptainer);
  const keys = [`singularity_image: "${image}"`, `singularity_scratch_dir: "${apptainer.settings.scratch_dir}"`];
  const terminal = ['backend: singularity', ...keys, `singularity_cache_dir: "${apptainer.settings.cache_dir}"`];
  const opened = await openOurs({ terminal: terminal.join(', '), env: apptainer.env }, damage);
  const instance = opened.resource ?? '';
  const client = await clientOf(apptainer, instance);
  const bash: OraclePlace['bash'] = (text, { directory, stdin, tty }) => {
    const argv = [...client, '--pwd', directory, 'instance://sandbox', 'bash', '-c', text];
    return { argv, stdin, tty };
  };
  const end = async (): Promise<void> => {
    await opened[Symbol.asyncDispose]();
    apptainer.remove();
  };
  return await placeOf(
    { name: 'singularity', root: '/tmp/oracle', bash, hasTerminals: false },
    { run: opened.run, end },
  );
}

/** A directory of Apptainer takes less time to make than a file. */
async function imageOf({ directory, program, env }: Apptainer): Promise<string> {
  const [image, archive] = [join(directory, 'tools'), join(directory, 'tools.tar')];
  await makeDockerArchive(archiveOf(toolsImage), archive);
  await run(program, ['-q', 'build', '--sandbox', image, `docker-archive:${archive}`], { env });
  rmSync(archive);
  return image;
}

/** What Apptainer needs to find the instance, as the account that it belongs to, and the posture of all that runs in it. */
async function clientOf({ program, env, settings }: Apptainer, instance: string): Promise<readonly string[]> {
  const config = join(instance, 'config');
  const own = { PATH: env['PATH'] ?? '', HOME: config, APPTAINER_CONFIGDIR: config, SINGULARITY_CONFIGDIR: config };
  const variables = Object.entries(own).map(([name, value]) => `${name}=${value}`);
  const posture = ['--userns', '--cleanenv', '--no-privs', '--drop-caps', 'ALL'];
  const account = await findAccount(null, ownerOf({ settings, instance: '' }));
  const host = { account, accounts: accountsFile(dirname(instance), account) };
  return asAccount(host, ['env', '-i', ...variables, program, '-s', 'exec', ...posture]).command;
}
