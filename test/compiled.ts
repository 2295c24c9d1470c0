/** The caches of compiled code (`scratch.ts`), for a program that a test starts with an environment of its own: one of Node, and one of the package. */
export const compiled: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
  ...(process.env['CAISSON_TEST_CACHE'] === undefined ? {} : { XDG_CACHE_HOME: process.env['CAISSON_TEST_CACHE'] }),
};
