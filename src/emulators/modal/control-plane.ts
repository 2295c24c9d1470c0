/** The control plane: apps, images, and the life of sandboxes. */
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Calls } from './calls.ts';
import { definitionOf, envOf, tagsOf } from './definition.ts';
import type { Images } from './images.ts';
import type { LiveSandbox } from './live-sandbox.ts';
import type * as M from './messages.ts';
import { need, Refusal } from './refuse.ts';
import type { Sandboxes } from './sandboxes.ts';
import type { Tokens } from './tokens.ts';

export interface Service {
  readonly images: Images;
  readonly sandboxes: Sandboxes;
  readonly tokens: Tokens;
  /** Ids by name. */
  readonly apps: Map<string, string>;
  readonly secrets: Map<string, Readonly<Record<string, string>>>;
  /** Where the router is; the SDK insists on https in front, and dials 127.0.0.1 in the clear. */
  readonly url: () => string;
}

const clientTokenMs = 20 * 60 * 1000;
export const routerTokenMs = 60 * 60 * 1000;
const pageSize = 20;
const success = { status: 1, exception: '', exitcode: 0 };

export function controlPlane(service: Service, calls: Calls): UntypedServiceImplementation {
  const { images, sandboxes, tokens } = service;
  return {
    AuthTokenGet: calls.unary('AuthTokenGet', async () => ({ token: tokens.issue('client', clientTokenMs) })),
    EnvironmentGetOrCreate: calls.unary('EnvironmentGetOrCreate', async () => ({
      environmentId: 'en-main',
      metadata: { name: 'main', settings: { imageBuilderVersion: '2025.06', webhookSuffix: '' } },
    })),
    AppGetOrCreate: calls.unary('AppGetOrCreate', async (request: M.AppRequest) => ({
      appId: appOf(service, request),
    })),
    ImageGetOrCreate: calls.unary('ImageGetOrCreate', async ({ image, appId, builderVersion }: M.ImageRequest) => {
      need(appId, 'app_id');
      need(builderVersion, 'builder_version');
      const found = await images.ofRecipe(image?.dockerfileCommands ?? []);
      return { imageId: found.id, ...(found.isBuilt ? { result: success } : {}) };
    }),
    ImageJoinStreaming: calls.stream('ImageJoinStreaming', buildOf(images)),
    ImageFromId: calls.unary('ImageFromId', async ({ imageId }: M.ImageById) => ({
      imageId: images.present(imageId).id,
    })),
    ImageDelete: calls.unary('ImageDelete', async ({ imageId }: M.ImageById) => {
      await images.remove(imageId);
      return {};
    }),
    SecretGetOrCreate: calls.unary('SecretGetOrCreate', async ({ envDict }: { envDict: Record<string, string> }) => {
      const secretId = `st-${service.secrets.size + 1}`;
      service.secrets.set(secretId, envDict);
      return { secretId };
    }),
    SandboxCreateV2: calls.unary('SandboxCreateV2', async (request: M.SandboxCreation) => {
      const env = envOf(request.secretSources, service.secrets);
      const made = await sandboxes.create(definitionOf(request, env));
      return { sandboxId: made.id, taskId: made.taskId, commandRouterAccess: accessTo(service, made) };
    }),
    SandboxGetTaskIdV2: calls.unary('SandboxGetTaskIdV2', async ({ sandboxId }: M.SandboxById) => {
      const { taskId, result } = sandboxes.present(sandboxId);
      return result === null ? { taskId } : { taskResult: result };
    }),
    SandboxGetCommandRouterAccess: calls.unary('SandboxGetCommandRouterAccess', async ({ sandboxId }: M.SandboxById) =>
      accessTo(service, sandboxes.present(sandboxId)),
    ),
    SandboxWaitV2: calls.unary('SandboxWaitV2', async ({ sandboxId, timeout }: M.SandboxWait) => {
      const sandbox = sandboxes.present(sandboxId);
      if (timeout > 0) await Promise.race([sandbox.ended, sleep(timeout * 1000, null, { ref: false })]);
      return {
        metadata: { appId: sandbox.definition.appId },
        ...(sandbox.result === null ? {} : { result: sandbox.result }),
      };
    }),
    SandboxTerminateV2: calls.unary('SandboxTerminateV2', async ({ sandboxId }: M.SandboxById) => {
      const sandbox = sandboxes.present(sandboxId);
      const existingResult = sandbox.result;
      await sandbox.end(3);
      return existingResult === null ? {} : { existingResult };
    }),
    SandboxListV2: calls.unary('SandboxListV2', async (request: M.SandboxListRequest) => ({
      sandboxes: pageOf(sandboxes.all, request),
    })),
    SandboxGetFromNameV2: calls.unary('SandboxGetFromNameV2', async (request: M.SandboxName) => {
      const appId = service.apps.get(need(request.appName, 'app_name'));
      if (appId === undefined) throw new Refusal('NOT_FOUND', `there is no app ${request.appName.slice(0, 80)}`);
      return {
        sandboxId: sandboxes.named(appId, need(request.sandboxName, 'sandbox_name'), request.includeTerminated).id,
      };
    }),
    SandboxGetFromName: calls.unary('SandboxGetFromName', async () => {
      throw new Refusal('NOT_FOUND', 'there are no sandboxes of the older kind');
    }),
    SandboxTagsGetV2: calls.unary('SandboxTagsGetV2', async ({ sandboxId }: M.SandboxById) => ({
      tags: entriesOf(sandboxes.present(sandboxId).tags),
    })),
    SandboxTagsSetV2: calls.unary('SandboxTagsSetV2', async ({ sandboxId, tags }: M.SandboxTagsRequest) => {
      sandboxes.present(sandboxId).tags = tagsOf(tags);
      return {};
    }),
    SandboxGetExitSnapshotV2: calls.unary('SandboxGetExitSnapshotV2', async ({ sandboxId, timeout }: M.SandboxWait) => {
      const sandbox = sandboxes.present(sandboxId);
      await Promise.race([sandbox.ended, sleep(timeout * 1000, null, { ref: false })]);
      if (sandbox.result === null) return { pending: {} };
      const imageId = sandbox.exitSnapshot;
      return imageId === null ? { error: { errorMessage: 'no snapshot was taken' } } : { success: { imageId } };
    }),
  };
}

function appOf({ apps }: Service, { appName, objectCreationType }: M.AppRequest): string {
  const known = apps.get(need(appName, 'app_name'));
  if (known !== undefined) return known;
  if (objectCreationType !== 1) throw new Refusal('NOT_FOUND', `there is no app ${appName.slice(0, 80)}`);
  const id = `ap-${apps.size + 1}`;
  apps.set(appName, id);
  return id;
}

/** A build ends with a result: without one, the SDK would ask again at once. */
function buildOf(images: Images) {
  return async function* ({ imageId }: M.ImageById): AsyncGenerator<object> {
    const image = images.present(imageId);
    yield { entryId: '1-0', taskLogs: [{ data: '=> the programs of this machine are the image\n' }] };
    image.isBuilt = true;
    yield { entryId: '2-0', result: success, eof: true };
  };
}

function accessTo({ tokens, url }: Service, { taskId }: LiveSandbox): object {
  return { jwt: tokens.issue(taskId, routerTokenMs), url: url() };
}

/** Newest first; the next page begins before the time of the last entry. */
function pageOf(all: readonly LiveSandbox[], { appId, beforeTimestamp, includeFinished, tags }: M.SandboxListRequest) {
  return all
    .filter(
      (sandbox) =>
        (includeFinished || sandbox.result === null) &&
        (appId === '' || sandbox.definition.appId === appId) &&
        (beforeTimestamp === 0 || sandbox.createdAt < beforeTimestamp) &&
        tags.every(({ tagName, tagValue }) => sandbox.tags[tagName] === tagValue),
    )
    .slice(0, pageSize)
    .map((sandbox) => ({
      id: sandbox.id,
      createdAt: sandbox.createdAt,
      appId: sandbox.definition.appId,
      tags: entriesOf(sandbox.tags),
      name: sandbox.definition.name,
      imageId: sandbox.definition.imageId,
    }));
}

function entriesOf(tags: Readonly<Record<string, string>>): readonly M.Tag[] {
  return Object.entries(tags).map(([tagName, tagValue]) => ({ tagName, tagValue }));
}
