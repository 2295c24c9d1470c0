/** Path rules: `write_file(src/**)`. Judged on the path that is really meant, which the caller has resolved. */
import { resolvePath } from '../../shell/paths.ts';

/** `path`: real and absolute. A relative glob starts at the project; without a slash, for refusing, it is a name anywhere. */
export function pathMatches(
  glob: string,
  path: string,
  { project, widely }: { readonly project: string; readonly widely: boolean },
): boolean {
  const real = resolvePath(path, project) ?? path;
  if (widely && !glob.includes('/') && globPattern(glob).test(real.slice(real.lastIndexOf('/') + 1))) return true;
  const whole =
    glob.startsWith('/') || glob.startsWith('~') ? glob : `${project.replace(/\/$/, '')}/${glob.replace(/^\.\//, '')}`;
  return globPattern(whole).test(real);
}

/** `**` crosses directories, `*` and `?` do not. */
function globPattern(glob: string): RegExp {
  const source = glob.replace(/\*\*\/?|\*|\?|[.+^${}()|[\]\\]/g, (part) => {
    if (part === '**/') return '(?:[^/]*/)*';
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : `\\${part}`;
  });
  return new RegExp(`^${source}$`, 's');
}
