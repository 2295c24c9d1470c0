import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CaissonError } from '../../src/errors.ts';
import type { Apptainer } from '../../test/engines/apptainer.ts';
import type { Bench } from '../bench.ts';
import { figuresOf } from '../figure.ts';
import { inRow, interleave, timed } from '../interleave.ts';
import { ourExec } from '../ours.ts';

const taskId = 'bench';
/** Debian's account without rights, which also runs our side when that runs as root. */
const nobodyAccount = { uid: 65_534, gid: 65_534 };

/** Commands in a container of Apptainer: through a lane, and directly. */
export const apptainer: Bench = {
  name: 'apptainer',
  about: 'commands in a container of Apptainer, against `apptainer exec` of the same image and posture',
  async *run({ quick }) {
    const engine = await startEngine();
    const home = await mkdtemp(join(tmpdir(), 'caisson-bench-'));
    const caisson = await openOn(engine, home);
    try {
      const { sandbox } = await caisson.sandboxes.create({ taskId, persistent: false });
      const digest = sandbox.place?.imageDigest?.replace('sha256:', '') ?? '';
      const peer = peerOn(engine, join(engine.settings.cache_dir, 'root', digest));
      const our = async (path: 'fastest' | 'direct'): Promise<number> =>
        (await ourExec({ caisson }, { taskId, existing: true }, ['true'], path)).endMs;
      for (let warm = 0; warm < (quick ? 50 : 500); warm++) await our('fastest');
      const rounds = quick ? { warmUp: 1, rounds: 4 } : { warmUp: 2, rounds: 20 };
      const lane = await interleave(
        inRow(10, () => our('fastest')),
        inRow(3, peer),
        rounds,
      );
      yield* figuresOf('lane', lane, { unit: 'ms', target: { of: 'ratio', is: '<=', value: 0.04 } });
      const direct = await interleave(
        inRow(3, () => our('direct')),
        inRow(3, peer),
        rounds,
      );
      yield* figuresOf('direct', direct, { unit: 'ms', target: null });
      await caisson.sandboxes.remove(taskId);
    } finally {
      await caisson.close();
      await rm(home, { recursive: true, force: true });
      engine.remove();
    }
  },
};

/** The one that `npm run engines` has fetched. Loaded here: no other bench needs it. */
async function startEngine(): Promise<Apptainer> {
  const { startApptainer, whyNoApptainer } = await import('../../test/engines/apptainer.ts');
  const why = whyNoApptainer();
  if (why === null) return await startApptainer();
  throw new CaissonError('unavailable', why, { remedy: 'Run: npm run engines' });
}

async function openOn({ env, settings, busybox }: Apptainer, home: string) {
  const { openCaisson } = await import('../../src/main.ts');
  const flags = {
    'terminal.backend': 'singularity',
    'terminal.singularity_image': busybox,
    'terminal.singularity_scratch_dir': settings.scratch_dir,
    'terminal.singularity_cache_dir': settings.cache_dir,
  };
  return await openCaisson({ home, env, cwd: home, flags });
}

/** A container for one command, by the account that ours has, from the image as it is unpacked. */
function peerOn({ program, directory, env }: Apptainer, root: string): () => Promise<number> {
  const posture = ['--userns', '--containall', '--no-home', '--cleanenv', '--no-privs', '--drop-caps', 'ALL'];
  const args = ['-s', 'exec', ...posture, '--net', '--network', 'none', root, 'true'];
  const home = { PATH: env['PATH'], HOME: directory, APPTAINER_CONFIGDIR: join(directory, 'cache/tmp') };
  const account = process.getuid?.() === 0 ? nobodyAccount : {};
  return () => timed(() => promisify(execFile)(program, args, { ...account, env: home, cwd: '/' }));
}
