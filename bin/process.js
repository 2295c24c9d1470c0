// To import is to set up a process of Caisson's own, before anything else of it is loaded: the command line, the service,
// the benches that measure one. A library has no say in this: who embeds Caisson sets flags as they like.
/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access -- no types here */

await Promise.all([keepCompiledCode(), keepYoungGenerationSmall()]);

/**
 * Output passes through in chunks that die at once. V8 would answer them with a young generation of 32 MB, full of dead
 * chunks; one that stays small costs nothing measurable and keeps the process half the size. Given to node as an argument
 * the flag does not hold: the generation grows while modules load.
 */
async function keepYoungGenerationSmall() {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * Compiled code is kept in a directory of the user's own. Node's default is a shared one, where anybody could lay down
 * code for others to run.
 */
async function keepCompiledCode() {
  const { enableCompileCache } = await import('node:module');
  const { NODE_COMPILE_CACHE: chosen, XDG_CACHE_HOME: cache, HOME: home } = process.env;
  const base = cache?.startsWith('/') ? cache : home?.startsWith('/') ? `${home}/.cache` : undefined;
  if (chosen) enableCompileCache?.(chosen);
  else if (base !== undefined) enableCompileCache?.(`${base}/caisson/compile`);
}
