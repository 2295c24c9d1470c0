/** The image of the demonstration, as options of `create`. */
import { packagesPrecondition } from '../../images/builder/rootfs.ts';
import { install } from '../../test/engines/packages.ts';
import type { Caisson } from './command.ts';
import { say } from './say.ts';

const base = 'caisson/base:latest';
const small = 'caisson/small:latest';

/**
 * The configured default when the engine has it, else `caisson/base`, else `caisson/small`, built here in seconds when need
 * be. Only where that is impossible the engine has to pull the default one, which is large.
 */
export async function chooseImage(caisson: Caisson): Promise<readonly string[]> {
  const there = referencesOf(await caisson.ask(['image', 'ls']));
  const wanted = defaultOf(await caisson.ask(['config', 'show']));
  if (wanted !== null && there.includes(wanted)) return [];
  const made = [base, small].find((reference) => there.includes(reference));
  if (made !== undefined) return ['--image', made];
  if (!(await canBuild())) {
    say.line(`The engine will pull the default image ${wanted ?? ''}, since none can be built here.`);
    return [];
  }
  say.title('A small image from a Debian package, without any registry');
  await caisson.run(['image', 'build', 'small', '--method', 'packages']);
  return ['--image', small];
}

async function canBuild(): Promise<boolean> {
  if ((await packagesPrecondition(process.env)) === null) return true;
  if (process.getuid?.() !== 0) return false;
  say.line('Installing Debian packages: mmdebstrap debian-archive-keyring');
  await install(['mmdebstrap', 'debian-archive-keyring']);
  return (await packagesPrecondition(process.env)) === null;
}

function referencesOf(reported: unknown): readonly string[] {
  const images: unknown = typeof reported === 'object' && reported !== null ? Reflect.get(reported, 'images') : null;
  return (Array.isArray(images) ? images : []).flatMap((image: unknown) => {
    const reference: unknown = typeof image === 'object' && image !== null ? Reflect.get(image, 'reference') : null;
    return typeof reference === 'string' ? [reference] : [];
  });
}

/** `config show -o json` is a list of `{key, value, origin}`. */
function defaultOf(reported: unknown): string | null {
  for (const entry of Array.isArray(reported) ? reported : []) {
    const item: unknown = entry;
    if (typeof item !== 'object' || item === null || Reflect.get(item, 'key') !== 'terminal.docker_image') continue;
    const value: unknown = Reflect.get(item, 'value');
    return typeof value === 'string' ? value : null;
  }
  return null;
}
