/** Rules that hold for one call alone: those of its command line, and of the project in which its caller stands. */
import type { Source } from '../policy/permission/rules.ts';
import type { RuleTexts } from '../policy/types.ts';
import type { Said } from '../values/caller.ts';
import { projectFile, type ProjectRules, readProjectRules } from './project-rules.ts';

export interface AddedRules {
  /** `null`: the project has none. */
  readonly project: { readonly directory: string; readonly rules: ProjectRules } | null;
  readonly commandLine: RuleTexts;
}

/** `null`: the call adds nothing. Throws `invalid_argument` for a project's rules that cannot be read. */
export async function addedRules({ rules, directory }: Said = {}): Promise<AddedRules | null> {
  const read = directory === undefined ? {} : await readProjectRules(directory);
  const project = directory === undefined || isEmpty(read) ? null : { directory, rules: read };
  return project === null && isEmpty(rules ?? {}) ? null : { project, commandLine: rules ?? {} };
}

/** False when the call surely forbids nothing further. */
export function mayForbid({ rules = {}, directory }: Said = {}): boolean {
  return directory !== undefined || !isEmpty({ ask: rules.ask ?? [], deny: rules.deny ?? [] });
}

const isEmpty = ({ allow = [], ask = [], deny = [], mode }: ProjectRules): boolean =>
  mode === undefined && allow.length + ask.length + deny.length === 0;

/** What this process was opened with. */
interface RuleContext {
  readonly directory: string;
  readonly project: ProjectRules;
  readonly commandLine: { readonly rules?: RuleTexts; readonly mayOnlyTighten: boolean };
  readonly isInside: () => boolean;
}

/** The sources of this process, or those of the call when it has none: rules are then the same as without a service. */
export function sourcesOf(
  { directory, project, commandLine, isInside }: RuleContext,
  added: AddedRules | null,
): readonly Source[] {
  const { rules = {}, mayOnlyTighten } = commandLine;
  const own = projectSource(directory, project);
  const line: Source = { name: 'command line', rules, mayOnlyTighten };
  if (added === null) return [own, line];
  const theirs = added.project === null ? null : projectSource(added.project.directory, added.project.rules);
  const said = isEmpty(added.commandLine)
    ? null
    : { name: 'command line', rules: added.commandLine, mayOnlyTighten: isInside() };
  return [...inPlaceOf(own, theirs), ...inPlaceOf(line, said)];
}

function inPlaceOf(own: Source, added: Source | null): readonly Source[] {
  if (added === null) return [own];
  return isEmpty(own.rules) ? [added] : [own, added];
}

function projectSource(directory: string, rules: ProjectRules): Source {
  const placeOf: Source['placeOf'] = (list, index) => `${projectFile(directory)}: ${list}[${index}]`;
  return { name: 'project', rules, placeOf, mayOnlyTighten: true };
}
