/** The control plane of sandboxes: their life, their names and tags. */
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Calls } from './calls.ts';
import { definitionOf, envOf, tagsOf } from './definition.ts';
import type { LiveSandbox } from './live-sandbox.ts';
import type * as M from './messages.ts';
import { need, Refusal } from './refuse.ts';
import type { Service } from './service.ts';

const routerTokenMs = 60 * 60 * 1000;
const pageSize = 20;

export function lifecycle(service: Service, calls: Calls): UntypedServiceImplementation {
  const { sandboxes } = service;
  return {
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
      return imageId === null
        ? { error: { errorCode: 0, message: 'no snapshot was taken' } }
        : { success: { imageId } };
    }),
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
