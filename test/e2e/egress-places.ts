/** The same service with the same Debian image on each backend that can filter a network: docker and singularity. */
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
  /** Of Debian, with Perl. */
  readonly image: string;
  /** A service on the home. `network`: the section of the configuration, one key a line. */
  open(home: Home, network?: readonly string[]): Promise<Caisson>;
  stop(): void;
}

/** Beside the docker engine, which every test home has. */
export const placesHere: readonly PlaceName[] =
  dockerHost() === null || process.getuid?.() !== 0
    ? []
    : ['docker', ...(hasApptainer() ? ['singularity' as const] : [])];

const debian = 'caisson-test/debian:latest';
const program = readFileSync(new URL('egress-probes.pl', import.meta.url), 'utf8');

export async function openPlace(name: PlaceName): Promise<EgressPlace> {
  if (name === 'docker')
    return {
      image: debian,
      open: (home, network) => serviceOn(home, ['backend: docker'], network),
      stop: () => undefined,
    };
  const apptainer = await startApptainer();
  const image = await debianArchive(apptainer);
  return { image, open: (home, network) => onApptainer(home, apptainer, network), stop: apptainer.remove };
}

/** How Perl runs the attempts, there as here. */
export const probing = (...probes: readonly string[]): readonly [string, ...string[]] => [
  'perl',
  '-e',
  program,
  ...probes,
];

/** What became of each attempt in the sandbox of a task. */
export async function attempts(
  caisson: Caisson,
  taskId: string,
  probes: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const { exit, stdout, stderr } = await caisson.run({ taskId, command: probing(...probes), timeoutMs: 55_000 });
  if (exit.exitCode !== 0) throw new Error(`the attempts broke off: ${exit.reason} ${stderr.text}`);
  return endsIn(stdout.text);
}

export function endsIn(output: string): Readonly<Record<string, string>> {
  const lines = output.trim().split('\n');
  return Object.fromEntries(
    lines.map((line): [string, string] => [line.split('\t')[0] ?? '', line.split('\t')[1] ?? '']),
  );
}

async function debianArchive({ directory }: Apptainer): Promise<string> {
  const image = testImages.find(({ reference }) => reference === debian);
  if (image === undefined) throw new Error(`there is no test image ${debian}`);
  await makeDockerArchive(archiveOf(image), join(directory, 'debian.tar'));
  return `docker-archive:${join(directory, 'debian.tar')}`;
}

async function onApptainer(home: Home, { settings, env }: Apptainer, network?: readonly string[]): Promise<Caisson> {
  const { scratch_dir: scratch, cache_dir: cache } = settings;
  const keys = ['backend: singularity', `singularity_scratch_dir: "${scratch}"`, `singularity_cache_dir: "${cache}"`];
  return await serviceOn(home, keys, network, { PATH: env['PATH'] ?? '', HOME: env['HOME'] ?? '' });
}

async function serviceOn(
  home: Home,
  terminal: readonly string[],
  network: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Caisson> {
  const text = [`terminal: {${terminal.join(', ')}}`, 'network:', ...network.map((line) => `  ${line}`), ''].join('\n');
  writeFileSync(join(home.path, 'config.yaml'), text, { mode: 0o600 });
  return await home.open({}, env);
}
