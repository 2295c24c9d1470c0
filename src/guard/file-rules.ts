/** What rules, modes and profiles say about tools that take a path. */
import { shownCommand } from '../policy/approval/display.ts';
import { strictest } from '../policy/judge.ts';
import type { Settings } from '../policy/settings.ts';
import { decideTool } from '../policy/tool.ts';
import type { Decision } from '../policy/types.ts';
import type { FileSubject } from './call.ts';

/** The strictest over all that it would touch. */
export async function decideFile(subject: FileSubject, settings: Settings): Promise<Decision> {
  const { tool, also, paths } = subject;
  const { paths: touched, whole, project } = await subject.touched();
  const decisions = touched.map((path) => {
    const decision = decideTool({ tool, also, path, project }, settings);
    return paths.includes(path) ? decision : withPath(decision, path);
  });
  return strictest(whole ? decisions : [...decisions, tooMany(subject, settings)]);
}

/** What could not be looked at may be what is forbidden. */
function tooMany({ tool, also }: FileSubject, { permissions, profile }: Settings): Decision {
  const names = [tool, ...also];
  const forbids =
    profile === 'strict' || permissions.some((each) => each.verdict === 'deny' && names.includes(each.tool));
  const finding = { rule: 'files', description: 'more files than rules can be applied to', start: 0, end: 0 };
  return { verdict: forbids ? 'deny' : 'ask', tier: 'rule', findings: [finding] };
}

/** Adds the judged path to the reason: behind a link or in a directory it differs from the path that was asked for. */
function withPath(decision: Decision, path: string): Decision {
  const { display } = shownCommand(path);
  const findings = decision.findings.map((each) => ({ ...each, description: `${each.description}: ${display}` }));
  return { ...decision, findings };
}
