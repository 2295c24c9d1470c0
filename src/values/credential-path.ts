/** Names of credential files, as the configuration and skills write them: paths below the state directory. Pure. */

import { canonicalPath, insideProblem } from './paths.ts';

/** Caisson's own: they hold every secret, or decide what happens next. */
const own =
  /^(?:config\.yaml|\.env|instance|caisson\.db.*|state\.db.*|audit|journal|sandboxes|credentials|processes|guardrails|pairing|sessions|profiles|mcp-tokens|hooks-accepted\.json|approved-context)$/i;

/** `null` for a path that may be declared; otherwise what is wrong with it. */
export function credentialPathProblem(path: string): string | null {
  if (path === '') return 'it is empty';
  if (path.length > 255) return 'it is longer than 255 characters';
  if (/[\u0000-\u001f\u007f\\]/.test(path)) return 'it holds a control character or a backslash';
  if (path.startsWith('/')) return 'it must be relative to the state directory';
  if (path.startsWith('~')) return 'it must be relative to the state directory, without ~';
  const segments = path.split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
    return 'it must not hold "..", ".", doubled slashes or one at its end';
  return isOwnFile(path) ? "it is one of Caisson's own files" : null;
}

/** Nothing may be hidden that a sandbox needs. */
export function credentialDirectoryProblem(path: string): string | null {
  const problem = insideProblem(path);
  if (problem !== null) return problem;
  const depth = canonicalPath(path).split('/').length - 1;
  return depth < 2 ? 'it must be a directory of its own, below /root for example' : null;
}

/** `path`: relative to the state directory, without `..`. */
export function isOwnFile(path: string): boolean {
  return own.test(path.split('/', 1)[0] ?? '');
}
