/** The project: which paths are in it, and how its files get to the sandbox and back where it is not bound. */
import { posix } from 'node:path';
import { isCode } from '../errors.ts';
import { argumentError } from './problem.ts';
import { codeTitle } from './shown.ts';
import type { Workplace } from './types.ts';

const maxLinks = 40;
const maxShown = 20;

/** An absolute path in the project, without `.` and `..`. Throws `invalid_argument` for any other. */
export function inProject(project: string, path: unknown): string {
  if (typeof path !== 'string' || !path.startsWith('/') || path.includes('\0') || path.length > 4096)
    throw argumentError('a path must be absolute');
  const plain = posix.normalize(path).replace(/(.)\/$/, '$1');
  if (!isWithin(project, plain)) throw outsideProjectError(path, project);
  return plain;
}

const isWithin = (project: string, path: string): boolean =>
  path === project || path.startsWith(`${project === '/' ? '' : project}/`);

function outsideProjectError(path: string, project: string): Error {
  return argumentError(`${JSON.stringify(path.slice(0, 256))} is not in the project ${JSON.stringify(project)}`);
}

/** Follows a path by its links to its real place in the sandbox. Throws `invalid_argument` when that is not in the project. */
export async function realInProject(
  { api, taskId, project }: Workplace,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  let real = project;
  const rest = segments(path.slice(project.length));
  for (let links = 0; rest.length > 0;) {
    const next = posix.join(real, rest.shift() ?? '');
    const target = await linkAt(next);
    if (target === null) real = next;
    else {
      if ((links += 1) > maxLinks) throw argumentError(`${JSON.stringify(path.slice(0, 256))} has too many links`);
      const led = posix.resolve(real, target);
      if (!isWithin(project, led)) throw outsideProjectError(path, project);
      rest.unshift(...segments(led.slice(project.length)));
      real = project;
    }
  }
  return real;

  async function linkAt(at: string): Promise<string | null> {
    try {
      const { kind, target } = await api.files.stat({ task: taskId, path: at }, { signal });
      return kind === 'symlink' ? (target ?? '/') : null;
    } catch (error) {
      if (isCode(error, 'not_found')) return null;
      throw error;
    }
  }
}

const segments = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

/** Brings what has changed on one side to the other; answers what stayed as it is there, for people. */
export async function syncProject(
  { api, taskId, project }: Workplace,
  direction: 'in' | 'out',
  signal: AbortSignal,
): Promise<string | null> {
  const { conflicts } = await api.files.sync({ task: taskId, host: project, inside: project, direction }, { signal });
  if (conflicts.length === 0) return null;
  const shown = conflicts.slice(0, maxShown).map(({ path, why }) => `- ${codeTitle(path)}: ${codeTitle(why)}`);
  const more = conflicts.length > maxShown ? [`- and ${conflicts.length - maxShown} more`] : [];
  const where = direction === 'in' ? 'to the sandbox' : 'back from the sandbox';
  return [`Caisson did not bring these files ${where}:`, ...shown, ...more].join('\n');
}
