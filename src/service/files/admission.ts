/** What stands before every file tool: the write protection, the gate of commands, and the record. */
import { homedir } from 'node:os';
import type { Options } from '../api.ts';
import type { Sandbox } from '../../backend.ts';
import { type Touch, type Touched, touchedBy } from '../../files/tools/touched.ts';
import type { FileSubject, Preview } from '../../guard/call.ts';
import type { Gate } from '../../guard/gate.ts';
import { copyRefusedError } from '../../guard/writes/copies.ts';
import { reachOf } from '../../policy/reach.ts';
import type { Context, Handle } from '../../sandbox/context.ts';
import { Redaction } from '../../redact/redactor.ts';
import type { Redactions } from '../../secrets/redactions.ts';
import { credentialsInside } from './copy.ts';
import { type After, previewOf } from './preview.ts';

export interface FileAdmissionInput {
  readonly context: Context;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Directory of the caller, which is the workspace of a place without isolation. */
  readonly cwd: string;
  readonly guard: Gate;
  /** What knows the secrets of this process. */
  readonly redactions: Redactions;
}

export interface FileUse {
  /** Name of the tool in rules. */
  readonly tool: string;
  readonly also?: readonly string[];
  readonly touches: readonly [Touch, ...Touch[]];
  /** Absent: it only looks. */
  readonly change?: {
    /** Name of the change in the audit. */
    readonly verb: string;
    readonly confirmed: boolean | undefined;
    /** Digest of the bytes that are written. */
    readonly digest: () => string | null;
    /** Content that one file will have. Absent: people are not shown what changes. */
    readonly after?: After;
  };
}

/** What rules are about, where somebody wanted to know it. */
export interface AdmittedPaths {
  /** Paths that were asked for, links followed. The tool takes these, since a link may lead elsewhere by now. */
  readonly paths: readonly string[];
  /** The workspace, likewise. */
  readonly project: string;
  /** SHA-256 of the file that must still be there, or `none`, after a person was shown what changes; else `null`. */
  readonly before: string | null;
}

/** Throws the refusal. `null`: no rule concerns the path, so that it was not resolved. */
export async function admitFile(
  parts: FileAdmissionInput,
  { row, sandbox }: Handle,
  { use, options }: { readonly use: FileUse; readonly options: Options },
): Promise<AdmittedPaths | null> {
  const { context, guard } = parts;
  const { tool, also = [], touches, change } = use;
  const { isolation } = await (await context.backend(row.backend)).guarantees();
  const onHost = isolation === 'none';
  const recorded = {
    taskId: row.taskId,
    execId: null,
    tool: change?.verb ?? tool,
    paths: touches.map(({ path }) => path),
  };
  if (change !== undefined) refuseProtected(parts, recorded, { onHost, confirmed: change.confirmed ?? false });
  const workspace = onHost ? (options.said?.directory ?? parts.cwd) : row.spec.cwd;
  const looked = once(async () => await lookAt(sandbox, { touches, workspace, signal: options.signal }));
  const after = change?.after;
  const previewed =
    after === undefined
      ? null
      : once(async () => {
          const [path] = (await looked.get()).paths;
          return await previewAt(parts, { row, sandbox }, { path, after, signal: options.signal });
        });
  const [first, ...rest] = touches;
  const subject: FileSubject = {
    kind: 'file',
    tool,
    also,
    paths: [first.path, ...rest.map(({ path }) => path)],
    digest: change?.digest ?? (() => null),
    touched: looked.get,
    ...(previewed === null ? {} : { preview: previewed.get }),
  };
  const reach = reachOf(isolation, row.spec.mounts.length > 0);
  const place = { taskId: row.taskId, backend: row.backend, reach, cwd: workspace };
  await guard.admit({ execId: null, ...place, subject, envNames: [], stdin: false }, options);
  if (change !== undefined) await context.audit.record({ type: 'file', ...recorded });
  if (!looked.isBegun()) return null;
  const { paths, project } = (await looked.get()).admitted;
  return { paths, project, before: previewed?.isBegun() === true ? (await previewed.get()).before : null };
}

/** Not before somebody wants to know it. */
function once<T>(work: () => Promise<T>) {
  let begun: Promise<T> | null = null;
  return { get: async (): Promise<T> => await (begun ??= work()), isBegun: () => begun !== null };
}

interface Previewed {
  readonly path: string;
  readonly after: After;
  readonly signal: AbortSignal | undefined;
}

async function previewAt(
  { context, redactions }: FileAdmissionInput,
  { row, sandbox }: Pick<Handle, 'row' | 'sandbox'>,
  { path, after, signal }: Previewed,
): Promise<Preview> {
  const withheld = (await credentialsInside(context.home, row.id)) ?? '';
  // Forms of secrets are taken out where redaction is off too: questions are kept in the store.
  const redaction = redactions.current() ?? new Redaction();
  return await previewOf({ sandbox, path, withheld, signal }, { after, redact: (text) => redaction.text(text) });
}

interface Looked extends Touched {
  readonly project: string;
  readonly admitted: Omit<AdmittedPaths, 'before'>;
}

interface Where {
  readonly touches: FileUse['touches'];
  readonly workspace: string;
  readonly signal: AbortSignal | undefined;
}

async function lookAt(sandbox: Sandbox, { touches, workspace, signal }: Where): Promise<Looked> {
  const [there, ...touched] = await Promise.all(
    [{ path: workspace }, ...touches].map((touch) => touchedBy(sandbox, touch, signal)),
  );
  const project = there?.paths[0] ?? workspace;
  return { ...allOf(touched), project, admitted: { paths: touched.map(({ paths }) => paths[0]), project } };
}

/** What is moved is at its new place what it was at the old one. */
function allOf([one, other]: readonly Touched[]): Touched {
  if (one === undefined) throw new TypeError('a file tool touches at least one path');
  if (other === undefined) return one;
  const [from] = one.paths;
  const [to] = other.paths;
  return { paths: [...one.paths, ...one.paths.map((path) => to + path.slice(from.length))], whole: one.whole };
}

function refuseProtected(
  { context, env }: FileAdmissionInput,
  recorded: {
    readonly taskId: string;
    readonly execId: null;
    readonly tool: string;
    readonly paths: readonly string[];
  },
  how: { readonly onHost: boolean; readonly confirmed: boolean },
): void {
  const surroundings = { userHome: env['HOME'] ?? homedir(), home: context.home };
  for (const path of recorded.paths) {
    const refusal = copyRefusedError({ source: path, target: path, ...how }, surroundings);
    if (refusal === null) continue;
    const { code, message } = refusal;
    context.audit.recordSoon({ type: 'decision', ...recorded, kind: 'file', verdict: 'deny', code, message });
    throw refusal;
  }
}
