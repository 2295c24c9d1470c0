/** What stands before a tree goes into a sandbox or comes out: write protection, the gate of commands, rules about each file, the record. */
import { homedir } from 'node:os';
import { posix } from 'node:path';
import type { Options } from '../api.ts';
import { CaissonError } from '../../errors.ts';
import type { Vet } from '../../files/types.ts';
import type { Rulebook } from '../../guard/rulebook.ts';
import { type CopyTarget, copyRefusedError, vetting } from '../../guard/writes/copies.ts';
import type { Settings } from '../../policy/settings.ts';
import type { Decision, Finding, Verdict } from '../../policy/types.ts';
import type { Handle } from '../../sandbox/context.ts';
import { type FileAdmissionInput, type AdmittedPaths, admitFile } from './admission.ts';
import { credentialsInside } from './copy.ts';

export interface TreeDependencies extends FileAdmissionInput {
  readonly rulebook: Rulebook;
}

interface TreeUse {
  /** Name in rules, beside `read_file` or `write_file`, and in the audit. */
  readonly verb: 'sync' | 'archive';
  readonly direction: 'in' | 'out';
  readonly inside: string;
  readonly recorded: { readonly source: string; readonly target: string };
  /** What is written, and may be protected. `null`: a directory of Caisson's own. */
  readonly written: CopyTarget | null;
}

interface AdmittedTree {
  /** Links followed, where a rule wanted to know. */
  readonly inside: string;
  readonly vet: Vet;
  /** A directory in the sandbox with credential files, which stay there. */
  readonly withheld: string | null;
}

/** Throws the refusal; `vet` throws that of one file. */
export async function admitTree(
  parts: TreeDependencies,
  handle: Handle,
  { wanted, options }: { readonly wanted: TreeUse; readonly options: Options },
): Promise<AdmittedTree> {
  const { context, env } = parts;
  const { row } = handle;
  const { verb, direction, inside, written } = wanted;
  const surroundings = { userHome: env['HOME'] ?? homedir(), home: context.home };
  const recorded = { taskId: row.taskId, execId: null, ...wanted.recorded };
  const auditedError = (refusal: CaissonError): CaissonError => {
    const { code, message } = refusal;
    context.audit.recordSoon({ type: 'decision', ...recorded, kind: 'copy', verdict: 'deny', code, message });
    return refusal;
  };
  const refusal = written === null ? null : copyRefusedError(written, surroundings);
  if (refusal !== null) throw auditedError(refusal);
  const tool = direction === 'in' ? 'write_file' : 'read_file';
  const use = { tool, also: [verb], touches: [{ path: inside }] } as const;
  const admitted = await admitFile(parts, handle, { use, options });
  const settings = admitted === null ? null : await parts.rulebook.fileSettings(row.taskId, options.said);
  const byRules = admitted === null || settings === null ? null : await ruleVet({ tool, verb, admitted, settings });
  await context.audit.record({ type: 'copy', ...recorded, direction, [verb]: true });
  const byPlace = written === null ? null : vetting(written, surroundings);
  const vet: Vet = (inTree) => {
    byPlace?.(inTree);
    const refused = byRules?.(inTree) ?? null;
    if (refused !== null) throw auditedError(refused);
  };
  const withheld = await credentialsInside(context.home, row.id);
  return { inside: admitted?.paths[0] ?? inside, vet, withheld };
}

interface Judging {
  readonly tool: string;
  readonly verb: string;
  readonly admitted: AdmittedPaths;
  readonly settings: Settings;
}

type RuleVet = (inTree: readonly string[]) => CaissonError | null;

/** Each file that travels; what was asked about the directory as a whole is not asked for again. */
async function ruleVet({ tool, verb, admitted, settings }: Judging): Promise<RuleVet> {
  const { decideTool } = await import('../../policy/tool.ts');
  const {
    project,
    paths: [real = '/'],
  } = admitted;
  const decide = (path: string): Decision => decideTool({ tool, also: [verb], path, project }, settings);
  const answered = new Set(decide(real).findings.map(({ rule }) => rule));
  return (inTree) => {
    const path = posix.join(real, ...inTree);
    const { verdict, findings } = decide(path);
    const [open] = findings.filter(({ rule }) => !answered.has(rule));
    return verdict === 'allow' || open === undefined ? null : fileRefusedError(`${tool} of ${path}`, verdict, open);
  };
}

function fileRefusedError(what: string, verdict: Verdict, { rule, description }: Finding): CaissonError {
  return verdict === 'deny'
    ? new CaissonError('policy_denied', `${what} is refused: ${description} (${rule})`, {
        remedy: 'leave the file out, or have the operator change the rule',
      })
    : new CaissonError('approval_required', `${what} needs an approval of its own: ${description} (${rule})`, {
        remedy: 'write or read this file alone, where somebody can be asked, and leave it out here',
      });
}
