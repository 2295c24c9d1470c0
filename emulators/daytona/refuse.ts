/** Errors as the service words them, and reading of what is sent to it, strictly. */
import type { z } from 'zod';

export class ApiError extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly source: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    more: { code?: string; source?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = more.code ?? null;
    this.source = more.source ?? 'DAYTONA_API';
    this.headers = more.headers ?? {};
  }
}

/** Error of the process in the sandbox that serves its toolbox. */
export function daemonError(status: number, message: string, code: string): ApiError {
  return new ApiError(status, message, { code, source: 'DAYTONA_DAEMON' });
}

/** Throws 400 naming the first field that is missing, unknown or of another type. */
export function read<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ApiError(400, `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'invalid'}`);
}

/** Reads a query: only these names, each at most once. */
export function readQuery<T extends z.ZodType>(schema: T, query: URLSearchParams): z.infer<T> {
  const names = [...query.keys()];
  if (new Set(names).size !== names.length) throw new ApiError(400, 'a query parameter is given twice');
  return read(schema, Object.fromEntries(query));
}
