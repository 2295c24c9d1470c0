/** Switches of the environment that say who is there to answer, by their own names and by those of Hermes. */

type Environment = Readonly<Record<string, string | undefined>>;

/** `EXEC_ASK` for `CAISSON_EXEC_ASK` and `HERMES_EXEC_ASK`. */
export const isSwitchedOn = (env: Environment, name: string): boolean =>
  [env[`CAISSON_${name}`], env[`HERMES_${name}`]].some((value) => /^(?:1|true|yes|on)$/i.test(value ?? ''));

/** Whether a question waits for an answer from elsewhere where no approver is here. */
export const asksElsewhere = (env: Environment): boolean => isSwitchedOn(env, 'EXEC_ASK');
