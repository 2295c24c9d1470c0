/** Makes a sandbox, or takes up the one that a lost answer has left. */
import type { CreateOptions, Spec } from '../../src/backend.ts';
import { CaissonError, isCode } from '../../src/errors.ts';
import { throwIfAborted, untilAborted } from '../shared/abort.ts';
import { quote } from '../shared/preamble.ts';
import type { Account } from './account.ts';
import { daytonaError, statusOf } from './fault.ts';
import { resourcesOf } from './guarantees.ts';
import { isAs, networkOf, type NetworkSettings, networkMismatchError } from './network.ts';
import { pause } from './pause.ts';
import { fromService, toService } from './records.ts';
import { refuseBeyondCeiling } from './running.ts';
import type { Handle } from './sdk.ts';
import { bringTo, find, remove } from './settle.ts';

/** An image may have to be built. */
const createSeconds = 900;
const maxTries = 6;
const programs = ['setsid', 'mkfifo', 'mktemp', 'stty', 'head', 'dd', 'wc', 'cat', 'rm', 'kill'];

export async function createSandbox(account: Account, spec: Spec, options: CreateOptions): Promise<Handle> {
  throwIfAborted(options);
  const earlier = await adopt(account, spec, options);
  if (earlier !== null) return await prepared(account, earlier, { spec, options });
  await refuseBeyondCeiling(account, options);
  const making = make(account, spec, options);
  try {
    return await untilAborted(making, options.signal);
  } catch (error) {
    // What is under way may still come into being.
    await making.catch(() => undefined);
    // The first error is the one to be reported, also when the service does not let us tidy up; the label finds what stays.
    if (!isCode(error, 'conflict')) await remove(account, options.name).catch(() => undefined);
    throw error;
  }
}

/** `null`: the name is free. What the same sandbox has left of another spec goes first. */
async function adopt(account: Account, spec: Spec, options: CreateOptions): Promise<Handle | null> {
  const found = await find(account, options.name, options);
  if (found === null) {
    await remove(account, options.name, options); // One that is about to go still has the name.
    return null;
  }
  const labels = fromService(found.labels);
  if (labels?.sandbox !== options.labels.sandbox || labels.instance !== options.labels.instance)
    throw nameTakenError(options.name);
  // A list of names may have changed since.
  const isSame = labels.fingerprint === options.labels.fingerprint && isAs(found, wantedOf(spec, options));
  if (isSame && found.state !== 'error' && found.state !== 'build_failed') return found;
  await remove(account, found.id, options);
  return null;
}

const wantedOf = ({ network }: Spec, { egress = [] }: CreateOptions): NetworkSettings => networkOf(network, egress);

interface Making {
  readonly spec: Spec;
  readonly options: CreateOptions;
}

async function make(account: Account, spec: Spec, options: CreateOptions): Promise<Handle> {
  for (let tries = 1; ; tries += 1) {
    try {
      const made = await once(account, spec, options);
      return await prepared(account, made, { spec, options });
    } catch (error) {
      const status = statusOf(error);
      const mayBeThere = status === null || status === 409 || status === 408 || status === 429 || status >= 500;
      if (error instanceof CaissonError || !mayBeThere || tries >= maxTries || options.signal?.aborted === true)
        throw daytonaError(error, 'create the sandbox');
    }
    await pause(100 * 2 ** tries * (0.75 + Math.random() / 2));
    // The name tells whether the request arrived, and whose the sandbox is.
    const there = await adopt(account, spec, withoutSignal(options));
    if (there !== null) return await prepared(account, there, { spec, options });
  }
}

async function once(account: Account, spec: Spec, options: CreateOptions): Promise<Handle> {
  const { name, labels, onProgress } = options;
  const client = await account.client();
  const { idleMinutes, archiveMinutes, lifetimeMinutes } = account.settings;
  const { persistent, image } = spec;
  return await client.create(
    {
      name,
      labels: toService(labels),
      language: 'javascript',
      image: image ?? 'debian:12',
      resources: resourcesOf(spec.limits, account.settings),
      ...wantedOf(spec, options),
      public: false,
      autoStopInterval: idleMinutes,
      autoArchiveInterval: archiveMinutes,
      // Files of a task must not go because a task rests for a while.
      autoDeleteInterval: persistent ? -1 : lifetimeMinutes,
      ttlMinutes: persistent ? 0 : lifetimeMinutes,
    },
    {
      timeout: createSeconds,
      ...(onProgress === undefined
        ? {}
        : {
            onSnapshotCreateLogs: (line: string) =>
              onProgress({ what: line.slice(0, 200).trim(), done: null, total: null }),
          }),
    },
  );
}

/** Running, with the network that was asked for, and with what carrying commands needs. */
async function prepared(account: Account, made: Handle, { spec, options }: Making): Promise<Handle> {
  const handle = await bringTo(account, made.id, 'started', withoutSignal(options));
  if (!isAs(handle, wantedOf(spec, options))) throw networkMismatchError(spec.network);
  const line = `mkdir -p -- ${quote(spec.cwd)} || exit 3; for each in ${programs.join(' ')}; do command -v "$each" || exit 4; done`;
  const asking = { doing: 'prepare the sandbox', idempotent: true };
  const { exitCode } = await account.ask(() => handle.process.executeCommand(line, '/', undefined, 30), asking);
  if (exitCode === 0) return handle;
  throw new CaissonError(
    'not_supported',
    `the image lacks what commands need to be carried, or ${spec.cwd} cannot be made`,
    {
      details: { image: spec.image, cwd: spec.cwd, needs: programs },
      remedy: 'use an image with a POSIX shell, coreutils and util-linux, such as debian:12',
    },
  );
}

/** The work itself is not given up halfway: it is undone when it is over. */
function withoutSignal({ signal: _signal, ...rest }: CreateOptions): CreateOptions {
  return rest;
}

function nameTakenError(name: string): CaissonError {
  return new CaissonError('conflict', `the name ${name} belongs to another sandbox in the account`, {
    details: { name },
  });
}
