/** Changes to a text: exact replacements, or a unified diff. A patch applies as a whole or not at all. */
import { CaissonError } from '../../errors.ts';
import { applyDiff } from './diff.ts';
import { applyEdits, type Edit } from './edits.ts';

export type Change = { readonly edits: readonly Edit[] } | { readonly diff: string };

/** Throws `invalid_argument` for a change that is neither, as a model may send it, or that does not apply. */
export async function applyChange(
  text: string,
  change: Partial<{ edits: readonly Edit[]; diff: string }>,
): Promise<string> {
  const { edits, diff } = change;
  if (typeof diff === 'string' && edits === undefined) return applyDiff(text, diff);
  if (Array.isArray(edits) && edits.every(isEdit) && diff === undefined) return await applyEdits(text, edits);
  throw new CaissonError('invalid_argument', 'a patch has either edits, each with find and replace, or a diff', {
    remedy: 'give one of the two; nothing was changed',
  });
}

function isEdit(edit: Partial<Edit> | null): boolean {
  return typeof edit?.find === 'string' && typeof edit.replace === 'string';
}
