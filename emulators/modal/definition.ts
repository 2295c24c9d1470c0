/** What a request asks for, checked as the service does. */
import type { Definition } from './live-sandbox.ts';
import type { SandboxCreation, SecretSource, Tag } from './messages.ts';
import { networkOf } from './network.ts';
import { need, Refusal } from './refuse.ts';

const dayMs = 24 * 3600 * 1000;
const nameForm = /^[A-Za-z0-9._-]{1,64}$/;

export function definitionOf(
  { appId, definition, tags }: SandboxCreation,
  env: Readonly<Record<string, string>>,
): Definition {
  need(appId, 'app_id');
  if (definition === null) throw new Refusal('INVALID_ARGUMENT', 'definition is required');
  const { name = '', workdir = '/', resources, idleTimeoutSecs, timeoutSecs } = definition;
  if (name !== '' && !nameForm.test(name))
    throw new Refusal('INVALID_ARGUMENT', 'the name of a sandbox has other letters');
  if (timeoutSecs <= 0 || timeoutSecs * 1000 > dayMs)
    throw new Refusal('INVALID_ARGUMENT', 'timeout_secs is from 1 second to 24 hours');
  if (definition.entrypointArgs.length > 0)
    throw new Refusal('UNIMPLEMENTED', 'the emulator has no entrypoints: commands are run by exec');
  return {
    appId,
    name,
    tags: tagsOf(tags),
    imageId: need(definition.imageId, 'image_id'),
    env,
    workdir: workdir === '' ? '/' : workdir,
    network: networkOf(definition.networkAccess),
    milliCores: resources?.milliCpuMax ?? 0,
    memoryMib: resources?.memoryMbMax ?? 0,
    lifeMs: timeoutSecs * 1000,
    idleMs: idleTimeoutSecs === undefined || idleTimeoutSecs === 0 ? null : idleTimeoutSecs * 1000,
    exitSnapshot: isTrue(definition.experimentalOptionsV2['enable_exit_snapshot']),
  };
}

/** Later sources win. */
export function envOf(
  sources: readonly SecretSource[],
  secrets: ReadonlyMap<string, Readonly<Record<string, string>>>,
): Readonly<Record<string, string>> {
  const each = sources.map(({ secretId, env }) => env?.contents ?? secrets.get(secretId ?? '') ?? {});
  return Object.fromEntries(each.flatMap((contents) => Object.entries(contents)));
}

export function tagsOf(tags: readonly Tag[]): Readonly<Record<string, string>> {
  return Object.fromEntries(tags.map(({ tagName, tagValue }) => [need(tagName, 'tag_name'), tagValue]));
}

function isTrue(value: string | undefined): boolean {
  return ['true', 'True', '1'].includes(value ?? '');
}
