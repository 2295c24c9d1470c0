/** What an approval is bound to: change any of it, and it is another command. */
import { createHash } from 'node:crypto';
import { type Call, type Preview, readable, typed } from './call.ts';

/** `version`: of the rules by which it was asked for. `preview`: of a file, which is part of what was approved. */
export function bindingOf(call: Call, version: string, preview: Preview | null = null): string {
  const { subject, cwd, user, seen, envDigest, backend, taskId, stdin, input } = call;
  const language = subject.kind === 'code' ? subject.language : null;
  const bound = [
    subject.kind,
    language,
    readable(subject),
    subject.kind === 'file' ? subject.digest() : null,
    cwd,
    seen?.known ?? null,
    envDigest ?? null,
    backend,
    taskId,
    // Two inputs are two programs to a shell.
    stdin && input !== undefined ? input.digest() : stdin,
    version,
    ...(preview === null ? [] : [preview.before]),
    // No other part is an object, and answers that were given before there were users hold.
    ...(user === undefined ? [] : [{ user }]),
  ];
  return createHash('sha256').update(JSON.stringify(bound)).digest('hex');
}

/** For people: the text, or the words quoted so that their edges can be seen. */
export function textOf(call: Call): string {
  const command = typed(call.subject);
  if (typeof command === 'string') return command;
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}
