/** The packages of which something is published: their licences, and a bill of materials (CycloneDX 1.6). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export interface Part {
  readonly name: string;
  readonly version: string;
  /** SPDX expression. */
  readonly licence: string;
  /** Whole, as the package has it. */
  readonly text: string;
}

const named = { name: z.string(), version: z.string() };
const manifest = z.union([
  z.object({ ...named, license: z.string() }),
  // Manifests had this form before npm 3.
  z
    .object({ ...named, licenses: z.tuple([z.object({ type: z.string() })]) })
    .transform(({ name, version, licenses: [{ type: license }] }) => ({ name, version, license })),
]);

/** Finds packages by the files that went in. Throws when a package does not name its licence. */
export function packagesOf(root: string, files: readonly string[]): readonly Part[] {
  const folders = new Set(files.flatMap((file) => folderOf(root, file)));
  return [...folders].toSorted().map((folder) => {
    const { name, version, license } = manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
    return { name, version, licence: license, text: licenceIn(folder) };
  });
}

/** The innermost package: some carry others inside. */
function folderOf(root: string, file: string): readonly string[] {
  const path = file.replace(/^\0/, '').split('?')[0] ?? '';
  const at = path.lastIndexOf('/node_modules/');
  if (at < 0 || !path.startsWith(root)) return [];
  const [scope = '', name = ''] = path.slice(at + '/node_modules/'.length).split('/');
  return [join(path.slice(0, at), 'node_modules', scope.startsWith('@') ? join(scope, name) : scope)];
}

function licenceIn(folder: string): string {
  const file = readdirSync(folder).find((each) => /^(?:licen[cs]e|copying)(?:[.-]|$)/i.test(each));
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8').trim();
  const readme = readdirSync(folder).find((each) => /^readme/i.test(each));
  const text = readme === undefined ? '' : readFileSync(join(folder, readme), 'utf8');
  const section = /^#*\s*licen[cs]e[\s\S]*/im.exec(text)?.[0];
  return section?.trim() ?? 'The package has no text of its licence; its manifest names it as above.';
}

export function licencesOf(parts: readonly Part[]): string {
  const head = 'Parts of these packages are in this one, each under its own licence.\n';
  const each = parts.map(
    ({ name, version, licence, text }) => `${'='.repeat(80)}\n${name} ${version} (${licence})\n\n${text}\n`,
  );
  return [head, ...each].join('\n');
}

export function billOf(subject: { readonly name: string; readonly version: string }, parts: readonly Part[]): object {
  const purl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', ...subject, purl: purl(subject.name, subject.version) } },
    components: parts.map(({ name, version, licence }) => ({
      type: 'library',
      name,
      version,
      licenses: [{ expression: licence }],
      purl: purl(name, version),
    })),
  };
}
