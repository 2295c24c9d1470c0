/** Syncs of a directory between this host and a sandbox, with what is known about both. */
import { posix } from 'node:path';
import { homedir } from 'node:os';
import type { Options } from '../api.ts';
import { credentialsInside, isHost, untrustedOf } from './copy.ts';
import { CaissonError } from '../../errors.ts';
import { type AdmissionParts, type Admitted, admitFile } from './admission.ts';
import { sync } from '../../files/sync/sync.ts';
import type { SyncResult } from '../../files/sync/types.ts';
import type { SyncInput } from '../../files/tools/types.ts';
import type { Vet } from '../../files/types.ts';
import { refusalOf, vetting } from '../../guard/writes/copies.ts';
import type { Rulebook } from '../../guard/rulebook.ts';
import type { Settings } from '../../policy/settings.ts';
import type { Decision, Finding, Verdict } from '../../policy/types.ts';
import type { Handle } from '../../sandbox/context.ts';

export interface SyncParts extends AdmissionParts {
  readonly rulebook: Rulebook;
}

export async function synced(
  parts: SyncParts,
  handle: Handle,
  { host, inside, direction, overwrite = false, confirmed = false, ...options }: SyncInput & Options,
): Promise<SyncResult> {
  const { context, env } = parts;
  const { row, sandbox } = handle;
  const [source, target] = direction === 'in' ? [host, inside] : [inside, host];
  const onHost = direction === 'out' || (await isHost(context, row.backend));
  const surroundings = { userHome: env['HOME'] ?? homedir(), home: context.home };
  const wanted = { source: `${source}/.`, target, onHost, confirmed };
  const recorded = { taskId: row.taskId, execId: null, source, target };
  const audited = (refusal: CaissonError): CaissonError => {
    const { code, message } = refusal;
    context.audit.recordSoon({ type: 'decision', ...recorded, kind: 'copy', verdict: 'deny', code, message });
    return refusal;
  };
  const refusal = refusalOf(wanted, surroundings);
  if (refusal !== null) throw audited(refusal);
  const tool = direction === 'in' ? 'write_file' : 'read_file';
  const use = { tool, also: ['sync'], touches: [{ path: inside }] } as const;
  const admitted = await admitFile(parts, handle, { use, options });
  const settings = admitted === null ? null : await parts.rulebook.fileSettings(row.taskId);
  const byRules = admitted === null || settings === null ? null : await ruleVet({ tool, admitted, settings });
  await context.audit.record({ type: 'copy', ...recorded, direction, sync: true });
  const byPlace = vetting(wanted, surroundings);
  const vet: Vet = (inTree) => {
    byPlace?.(inTree);
    const refused = byRules?.(inTree) ?? null;
    if (refused !== null) throw audited(refused);
  };
  const withheld = await credentialsInside(context.home, row.id);
  const place = { home: context.home, sandboxId: row.id, host, inside };
  const untrusted = untrustedOf(context, row);
  return await sync(sandbox, { ...place, direction, overwrite, untrusted, withheld, vet, signal: options.signal });
}

interface Judging {
  readonly tool: string;
  readonly admitted: Admitted;
  readonly settings: Settings;
}

type RuleVet = (inTree: readonly string[]) => CaissonError | null;

/** Each file that travels; what was asked about the directory as a whole is not asked for again. */
async function ruleVet({ tool, admitted, settings }: Judging): Promise<RuleVet> {
  const { decideTool } = await import('../../policy/tool.ts');
  const {
    project,
    paths: [real = '/'],
  } = admitted;
  const decide = (path: string): Decision => decideTool({ tool, also: ['sync'], path, project }, settings);
  const answered = new Set(decide(real).findings.map(({ rule }) => rule));
  return (inTree) => {
    const path = posix.join(real, ...inTree);
    const { verdict, findings } = decide(path);
    const [open] = findings.filter(({ rule }) => !answered.has(rule));
    return verdict === 'allow' || open === undefined ? null : refusedFile(`${tool} of ${path}`, verdict, open);
  };
}

function refusedFile(what: string, verdict: Verdict, { rule, description }: Finding): CaissonError {
  return verdict === 'deny'
    ? new CaissonError('policy_denied', `${what} is refused: ${description} (${rule})`, {
        remedy: 'leave the file out, or have the operator change the rule',
      })
    : new CaissonError('approval_required', `${what} needs an approval of its own: ${description} (${rule})`, {
        remedy: 'write or read this file alone, where somebody can be asked, and leave it out here',
      });
}
