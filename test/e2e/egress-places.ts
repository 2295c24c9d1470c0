/** A service with a Debian image on each backend that can filter a network: docker and singularity. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Caisson } from '../../src/service/caisson.ts';
import { type Apptainer, hasApptainer, startApptainer } from '../engines/apptainer.ts';
import { makeDockerArchive } from '../engines/docker-archive.ts';
import { dockerHost } from '../engines/docker.ts';
import { archiveOf, testImages } from '../engines/images.ts';
import type { Home } from './home.ts';

export type PlaceName = 'docker' | 'singularity';

export interface EgressPlace {
  /** Image of Debian, with Perl. */
  readonly image: string;
  /** Variables of a service and of its proxy, beside those of the home. */
  readonly env: Readonly<Record<string, string>>;
  /** The section `terminal`, one key an element. */
  readonly terminal: readonly string[];
  stop(): void;
}

/** An attempt to get out, and what became of it. */
export type End = readonly [probe: string, end: string];

/** Backends that can filter on this host: docker, and singularity if it is installed. Both need root. */
export const placesHere: readonly PlaceName[] =
  dockerHost() === null || process.getuid?.() !== 0
    ? []
    : ['docker', ...(hasApptainer() ? ['singularity' as const] : [])];

const debian = 'caisson-test/debian:latest';
const program = readFileSync(new URL('egress-probes.pl', import.meta.url), 'utf8');

export async function openPlace(name: PlaceName): Promise<EgressPlace> {
  if (name === 'docker') return { image: debian, env: {}, terminal: ['backend: docker'], stop: () => undefined };
  const apptainer = await startApptainer();
  const { env, settings, remove } = apptainer;
  return {
    image: await debianArchive(apptainer),
    env: { PATH: env['PATH'] ?? '', HOME: env['HOME'] ?? '' },
    terminal: ['backend: singularity', ...Object.entries(settings).map(([key, at]) => `singularity_${key}: "${at}"`)],
    stop: remove,
  };
}

/** `network`: that section, one key an element. A service that is open has to read it again. */
export function configure(home: Home, { terminal }: EgressPlace, network: readonly string[]): void {
  const text = [
    'approvals: {mode: "off"}',
    `terminal: {${terminal.join(', ')}}`,
    `network: {${network.join(', ')}}`,
    '',
  ].join('\n');
  writeFileSync(join(home.path, 'config.yaml'), text, { mode: 0o600 });
}

interface OpenEgressPlace {
  readonly caisson: Caisson;
  readonly home: Home;
  readonly place: EgressPlace;
}

export async function openService(home: Home, place: EgressPlace, network: readonly string[] = []): Promise<Caisson> {
  configure(home, place, network);
  return await home.open({}, place.env);
}

export async function closeAll({ caisson, home, place }: OpenEgressPlace): Promise<void> {
  for (const { taskId } of (await caisson.sandboxes.list()).items) await caisson.sandboxes.remove(taskId);
  await home[Symbol.asyncDispose]();
  place.stop();
}

/** How Perl runs the attempts, in a sandbox as on this host. */
export function probing(...probes: readonly string[]): readonly [string, ...string[]] {
  return ['perl', '-e', program, ...probes];
}

/** A download by apt, a client that goes by the proxy variables and follows redirects. */
export const download = (url: string): string =>
  `/usr/lib/apt/apt-helper -o APT::Sandbox::User= -o Acquire::Retries=0 download-file ${url} /tmp/downloaded`;

/** Makes attempts in the sandbox of a task, one after the other. */
export async function attempts(caisson: Caisson, taskId: string, probes: readonly string[]): Promise<readonly End[]> {
  const { exit, stdout, stderr } = await caisson.run({ taskId, command: probing(...probes), timeoutMs: 55_000 });
  if (exit.exitCode !== 0) throw new Error(`the attempts broke off: ${exit.reason} ${stderr.text}`);
  return endsIn(stdout.text);
}

export function endsIn(output: string): readonly End[] {
  const lines = output.trim().split('\n');
  return lines.map((line): End => [line.split('\t')[0] ?? '', line.split('\t')[1] ?? '']);
}

async function debianArchive({ directory }: Apptainer): Promise<string> {
  const image = testImages.find(({ reference }) => reference === debian);
  if (image === undefined) throw new Error(`there is no test image ${debian}`);
  await makeDockerArchive(archiveOf(image), join(directory, 'debian.tar'));
  return `docker-archive:${join(directory, 'debian.tar')}`;
}
