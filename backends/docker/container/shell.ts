/** Whether an image has the shell that the first process of every sandbox is. */
import { CaissonError, isCode } from '../../../src/errors.ts';
import type { Engine } from '../engine/engine.ts';

const places = ['/bin/sh', '/usr/bin/sh'];

/** Why a container did not start, when it has no shell. `null`: it has one, or that is not known. */
export async function missingShell(engine: Engine, container: string, image: string): Promise<CaissonError | null> {
  const there = await Promise.all(places.map((path) => isThere(engine, container, path)));
  if (there.some((each) => each)) return null;
  return new CaissonError(
    'invalid_argument',
    `the image ${image} has no sh, and a shell is the first process of a sandbox`,
    {
      details: { image },
      remedy:
        'take an image with a POSIX shell, as Debian, Alpine and busybox have; of many images without one there is a variant with it',
    },
  );
}

/** Looks at the file without reading it. True also when the engine does not say that it is absent. */
async function isThere(engine: Engine, container: string, path: string): Promise<boolean> {
  const what = `look for ${path}`;
  try {
    await engine.ask({ what, method: 'HEAD', path: `/containers/${container}/archive`, query: { path } });
    return true;
  } catch (error) {
    return !isCode(error, 'not_found');
  }
}
