/** Verdicts on tools that take no command: a path, or nothing that rules look at. */
import { resolvePath } from '../shell/paths.ts';
import { matches as matchesName } from '../values/pattern.ts';
import { pathMatches } from './permission/paths.ts';
import type { Permission } from './permission/rules.ts';
import type { Settings } from './settings.ts';
import type { Decision, Verdict } from './types.ts';

export interface ToolCall {
  readonly tool: string;
  /** Other names by which rules may mean it. */
  readonly also?: readonly string[];
  /** Real and absolute, links followed, in the sandbox. Of `mcp`: `SERVER:TOOL`. */
  readonly path?: string;
  readonly project: string;
}

const reading = /^(?:read_file|list_files|search_files|view|glob|grep|web_search)$/;

/** Deny, then ask, then allow, then the mode. The profile `strict` locks files to the project. */
export function decideTool(call: ToolCall, { permissions, mode, profile }: Settings): Decision {
  if (profile === 'strict' && call.tool !== 'mcp' && call.path !== undefined && !isInside(call.path, call.project))
    return outside;
  for (const verdict of ['deny', 'ask', 'allow'] as const) {
    const found = permissions.find((each) => each.verdict === verdict && matches(each, call));
    if (found !== undefined) return decisionOf(verdict, 'rule', found.text);
  }
  if (mode === 'autonomous') return { verdict: 'allow', tier: 'none', findings: [] };
  if (mode !== 'supervised' && reading.test(call.tool)) return { verdict: 'allow', tier: 'mode', findings: [] };
  return decisionOf(mode === 'plan' ? 'deny' : 'ask', 'mode', mode);
}

const outside: Decision = {
  verdict: 'deny',
  tier: 'rule',
  findings: [{ rule: 'strict', description: 'a path that is not in the workspace', start: 0, end: 0 }],
};

function isInside(path: string, project: string): boolean {
  const root = project.replace(/\/+$/, '');
  const real = resolvePath(path, project);
  return real !== null && (real === root || real.startsWith(`${root}/`));
}

function matches({ tool, pattern, verdict }: Permission, call: ToolCall): boolean {
  if (tool !== call.tool && call.also?.includes(tool) !== true) return false;
  if (pattern.kind === 'tool') return true;
  if (pattern.kind === 'name') return call.path !== undefined && matchesName(pattern.glob, call.path);
  return (
    pattern.kind === 'path' &&
    call.path !== undefined &&
    pathMatches(pattern.glob, call.path, { project: call.project, widely: verdict !== 'allow' })
  );
}

function decisionOf(verdict: Verdict, tier: 'rule' | 'mode', rule: string): Decision {
  const description = verdict === 'deny' ? 'denied by a rule' : 'a rule wants it asked for';
  return {
    verdict,
    tier,
    findings:
      verdict === 'allow'
        ? []
        : [{ rule, description: tier === 'mode' ? `mode ${rule}` : description, start: 0, end: 0 }],
  };
}
