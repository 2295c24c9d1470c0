/** A command without its data: two commands with the same form show the same thing. */

/** Names of files that the fixture has, and words that commands make up. */
const data = /\b(?:words|numbers|log|text|blob|table\.csv|data\.json|one|two|three|deep|nothing|nowhere)\b/g;

export function formOf(command: string): string {
  return (
    command
      // A quoted text without anything that a program would act on.
      .replace(/"[\w ,.:]*"|'[\w ,.:]*'/g, 'TEXT')
      .replace(/\d+/g, '0')
      .replace(data, 'NAME')
  );
}

/** Forms that more than one command has, with these commands. */
export function repeated(commands: readonly string[]): readonly (readonly string[])[] {
  const byForm = Map.groupBy(commands, formOf);
  return [...byForm.values()].filter(({ length }) => length > 1);
}
