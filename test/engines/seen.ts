/**
 * Whether an engine was seen to start on this machine with these programs and these images. A start costs five seconds, and a
 * second look at the same engine shows nothing new; each run of the tests starts it anyway, and fails when it does not come up.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineKind } from './engine.ts';
import { archiveOf, testImages } from './images.ts';
import { engineCache } from './places.ts';
import { findCommand } from './privileges.ts';

export function wasSeen(kind: EngineKind): boolean {
  const path = pathOf(kind);
  return existsSync(dataRoot(kind)) && existsSync(path) && readFileSync(path, 'utf8') === stateOf();
}

export function keepSeen(kind: EngineKind): void {
  writeFileSync(pathOf(kind), stateOf());
}

const pathOf = (kind: EngineKind): string => join(engineCache(), `seen-${kind}`);
/** The first slot, which holds the images after a start. */
const dataRoot = (kind: EngineKind): string => join(engineCache(), `docker-${kind}-0`);

/** The boot counts too: another kernel may lack what an engine needs. */
function stateOf(): string {
  const programs = ['dockerd', 'containerd', 'runc'].map((name) => findCommand(name) ?? '');
  const files = [...programs, ...testImages.map(archiveOf)].map(
    (path) => `${path} ${statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 'absent'}`,
  );
  return [readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), ...files].join('\n');
}
