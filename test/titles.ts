/**
 * The title by which a file of tests is known in `durations.json`: that of its first suite or case, read from its text, so that
 * a file that moves keeps its duration. A file whose first title is computed is known by its folder and name.
 */
import { basename, dirname } from 'node:path';

const first =
  /\b(?:describe|it|test|\w*[Ss]uite|testBackend)(?:\.\w+)*\(\s*(?:\{\s*name: )?(?:'((?:[^'\\\n]|\\.)+)'|"([^"\n]+)")/;

export function titleOf(path: string, text: string): string {
  const [, single, double] = first.exec(text) ?? [];
  return single ?? double ?? `${basename(dirname(path))}/${basename(path)}`;
}
