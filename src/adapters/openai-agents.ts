/** `caisson/adapters/openai-agents`: a sandbox client of @openai/agents, one sandbox a session. */
import { CaissonError } from '../errors.ts';
import type { Caisson } from './api.ts';
import { assertFit } from './openai-agents/entries.ts';
import { CaissonSession, removed } from './openai-agents/session.ts';
import type { Client, Framework, ManifestShape, Session, State } from './openai-agents/types.ts';
import { type AdapterOptions, mustHave, Place } from './place.ts';

export type { Caisson } from './api.ts';
export type { Client, Framework, ManifestShape, Session, State } from './openai-agents/types.ts';
export type { AdapterOptions } from './place.ts';

const backendId = 'caisson';
/** Marks sandboxes of this adapter: stored state that was changed cannot name any other one. */
const label = 'openai-agents';
/** The root of a manifest that names none. It stands for where commands of the sandbox start. */
const defaultRoot = '/workspace';

/** All sessions work in the sandbox of `taskId`, which stays; if it is absent, each session makes a sandbox and removes it. */
export function make<M extends ManifestShape>(
  framework: Framework<M>,
  api: Caisson,
  options: AdapterOptions = {},
): Client<M> {
  mustHave(
    framework,
    ['applyDiff', 'cloneManifest', 'Manifest', 'WorkspacePathPolicy'],
    '@openai/agents and its /sandbox',
  );
  const marked = { ...options, labels: { ...options.labels, [label]: 'true' } };
  return {
    backendId,
    create: async (args = {}) => await create<M>({ framework, api, options: marked }, args),
    resume: async (state) => await resume({ framework, api, options: marked }, state),
    delete: async ({ taskId, owned }) => {
      if (!owned) return;
      await assertOurs(api, taskId);
      await removed({ api, task: taskId });
    },
    serializeSessionState: async ({ taskId, owned }) => await Promise.resolve({ taskId, owned }),
    deserializeSessionState: async (stored) => await deserialized(framework, stored),
    // What a session made goes with it, so that there is nothing to come back to.
    canPersistOwnedSessionState: ({ owned }) => !owned,
  };
}

interface Ways<M extends ManifestShape> {
  readonly framework: Framework<M>;
  readonly api: Caisson;
  readonly options: AdapterOptions;
}

async function create<M extends ManifestShape>(
  { framework, api, options }: Ways<M>,
  args: { manifest?: object } | M,
): Promise<Session<M>> {
  const given = framework.cloneManifest('manifest' in args ? (args.manifest ?? {}) : 'root' in args ? args : {});
  assertFit(given);
  const place = await Place.open(api, options);
  const owned = options.taskId === undefined;
  try {
    const manifest = rooted(framework, given, place.cwd);
    const session = new CaissonSession(framework, place, stateOf(place.task, owned, manifest));
    await session.applyManifest(manifest);
    return session;
  } catch (error) {
    if (owned) await removed(place);
    throw error;
  }
}

function rooted<M extends ManifestShape>(framework: Framework<M>, manifest: M, root: string): M {
  if (manifest.root !== defaultRoot) return manifest;
  const environment = Object.entries(manifest.environment).map(([key, value]) => [key, value.init()] as const);
  return framework.cloneManifest({ ...manifest, root, environment: Object.fromEntries(environment) });
}

const stateOf = <M extends ManifestShape>(taskId: string, owned: boolean, manifest: M): State<M> => ({
  taskId,
  owned,
  manifest,
  workspaceReady: true,
  environment: {},
});

async function resume<M extends ManifestShape>(
  { framework, api, options }: Ways<M>,
  state: State<M>,
): Promise<Session<M>> {
  await assertOurs(api, state.taskId);
  const place = await Place.open(api, { ...options, taskId: state.taskId });
  const manifest = rooted(framework, state.manifest, place.cwd);
  const environment = await manifest.resolveEnvironment();
  return new CaissonSession(framework, place, { ...state, manifest, environment });
}

/** Throws `not_found` for a sandbox that is gone: a new one would be without its files. */
async function assertOurs(api: Caisson, taskId: string): Promise<void> {
  const { labels } = await api.sandboxes.get(taskId);
  if (labels[label] !== 'true')
    throw new CaissonError('permission_denied', `the sandbox of ${taskId} was not made by this adapter`, {
      remedy: 'resume from a state that the adapter has stored',
    });
}

async function deserialized<M extends ManifestShape>(
  framework: Framework<M>,
  { taskId, owned, manifest }: Record<string, unknown>,
): Promise<State<M>> {
  if (typeof taskId !== 'string' || typeof owned !== 'boolean' || typeof manifest !== 'object' || manifest === null)
    throw new CaissonError('invalid_argument', 'the stored state of the session is not one of this adapter');
  return await Promise.resolve(stateOf(taskId, owned, framework.cloneManifest(manifest)));
}
