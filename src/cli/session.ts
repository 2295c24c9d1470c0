/** How a session is named on the command line. */
export const sessionOperands = [
  { name: 'TASK', count: 'one' },
  { name: 'NAME', count: 'one' },
] as const;

/** As `parse` gives it: operands that count one are there. */
export function sessionOf([taskId = '', name = '']: readonly string[]): {
  readonly taskId: string;
  readonly name: string;
} {
  return { taskId, name };
}
