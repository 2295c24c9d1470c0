/** The names that permission rules may have. Loads nothing of the policy: it is asked at every start. */
import { nearest } from '../../lib/nearest.ts';
import type { Verdict } from '../types.ts';

/** Tools that take a command; all others take a path, or a name. */
export const commandTools: ReadonlySet<string> = new Set(['terminal', 'terminal_exec', 'process', 'execute_code']);

/** Rules about the text of a command: `command(git push *)`. */
export const textTool = 'command';

/** What requests of Caisson are judged as; a rule for another name has no effect. */
const tools: readonly string[] = [
  ...commandTools,
  textTool,
  // A call that passes to a server under `caisson mcp run`.
  'mcp',
  ...['read_file', 'list_files', 'search_files', 'write_file', 'patch', 'move_file', 'remove_file'],
];

export interface UnknownTool {
  readonly rule: string;
  readonly tool: string;
  /** A known name that may be meant. */
  readonly near: string | null;
}

/** Rules without effect, since no request of Caisson uses their tool. The reader of rules reports a text that does not parse. */
export function unknownTools(texts: Partial<Record<Verdict, readonly string[] | undefined>>): readonly UnknownTool[] {
  return (['deny', 'ask', 'allow'] as const).flatMap((verdict) =>
    (texts[verdict] ?? []).flatMap((rule) => {
      const tool = /^([A-Za-z][\w.-]*)(?:\(|$)/.exec(rule.trim())?.[1];
      return tool === undefined || tools.includes(tool) ? [] : [{ rule, tool, near: nearest(tool, tools) }];
    }),
  );
}
