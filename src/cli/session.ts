/** How a session is named on the command line. */
export const sessionOperands = [
  { name: 'TASK', count: 'one' },
  { name: 'NAME', count: 'one' },
] as const;

/** Names the two operands of a session. `parse` has checked that both are there, since each counts one. */
export function sessionOf([taskId = '', name = '']: readonly string[]): {
  readonly taskId: string;
  readonly name: string;
} {
  return { taskId, name };
}

/** The notice on a session that was restored without all of its state. */
export const withoutNotice = (lost: readonly string[]): string =>
  `taken up from its kept state, without ${lost.join(' and ')}`;
