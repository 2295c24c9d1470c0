/** A service with a pool on each real engine whose sandboxes a task can take later: docker and singularity. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Caisson } from '../../src/service/caisson.ts';
import { hasApptainer, startApptainer } from '../engines/apptainer.ts';
import { dockerHost } from '../engines/docker.ts';
import { busybox, type Home } from './home.ts';

export type PooledPlace = 'docker' | 'singularity';

/** A filtered network needs root on both. */
export const pooledHere: readonly PooledPlace[] =
  dockerHost() === null || process.getuid?.() !== 0
    ? []
    : ['docker', ...(hasApptainer() ? ['singularity' as const] : [])];

export interface OnPlace {
  /** The section `terminal`, one key an element. */
  readonly terminal: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

export async function onPlace(name: PooledPlace): Promise<OnPlace> {
  if (name === 'docker') return { terminal: [`docker_image: "${busybox}"`], env: {}, remove: () => undefined };
  const { busybox: image, settings, env, remove } = await startApptainer();
  const terminal = [
    `singularity_image: "${image}"`,
    ...Object.entries(settings).map(([key, at]) => `singularity_${key}: "${at}"`),
  ];
  return { terminal, env: { PATH: env['PATH'] ?? '', HOME: env['HOME'] ?? '' }, remove };
}

/** `more`: further sections of the configuration. */
export async function openPooled(
  home: Home,
  { terminal, env }: OnPlace,
  { backend, entries, more = '' }: { readonly backend: string; readonly entries: string; readonly more?: string },
): Promise<Caisson> {
  const keys = [`backend: ${backend}`, 'container_disk: null', ...terminal].join(', ');
  const text = `terminal: {${keys}}\napprovals: {mode: "off"}\npool: {keep: true, entries: {${entries}}}\n${more}`;
  writeFileSync(join(home.path, 'config.yaml'), text, { mode: 0o600 });
  return await home.open({}, env);
}
