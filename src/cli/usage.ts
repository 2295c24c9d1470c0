/** A command line that cannot be understood: an unknown command or option, a missing or surplus argument. */
import { CaissonError, type ErrorOptions } from '../errors.ts';

/** Exit code that most tools have for it, by which scripts distinguish a typing error from a failure. */
export const usageExitCode = 2;

export class UsageError extends CaissonError {
  /** The line that shows how it is written, when the command is known. */
  readonly usage: string | null;

  constructor(message: string, options: ErrorOptions & { readonly usage?: string } = {}) {
    super('invalid_argument', message, options);
    this.usage = options.usage ?? null;
  }
}
