/** The cache of compiled code (`scratch.ts`), for a program that a test starts with an environment of its own. */
export const compiled: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
};
