/** Whether an edit is asked about. Pure. */
import type { EditMode } from './types.ts';

/** Names that are asked about in every mode: they hold secrets, or what other programs run. */
const sensitive =
  /^(?:\.git|\.ssh|\.gnupg|\.aws|\.env.*|\.netrc|\.npmrc|\.git-credentials|authorized_keys|id_[a-z0-9]+)$/i;

/** `path`: below the project, links followed. */
export function isSensitive(path: string): boolean {
  return path.split('/').some((name) => sensitive.test(name));
}

export interface EditPermission {
  readonly mode: EditMode;
  /** The user has allowed the edits of this session. */
  readonly granted: boolean;
}

export function isAsked(path: string, { mode, granted }: EditPermission): boolean {
  return isSensitive(path) || (mode !== 'policy' && !granted);
}

/** Whether a yes to this edit holds for the later ones of the session. */
export function mayHold(path: string, { mode }: EditPermission): boolean {
  return mode !== 'policy' && !isSensitive(path);
}

/** Mode `session` asks for the first edit alone. */
export function grants(choice: string, mode: EditMode): boolean {
  return choice === 'session' || (choice === 'once' && mode === 'session');
}
