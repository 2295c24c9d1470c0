/**
 * The command of `caisson sh`: bash where it is, which only the sandbox knows. It is Caisson's own text, so that people are shown
 * the shell instead.
 */
export const shellStarter = ['sh', '-c', 'command -v bash >/dev/null && exec bash || exec sh'] as const;

export const isShellStarter = (argv: readonly string[]): boolean =>
  argv.length === shellStarter.length && shellStarter.every((word, at) => word === argv[at]);
