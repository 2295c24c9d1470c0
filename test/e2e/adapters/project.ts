/** A project with the frameworks of the fixture `adapters`, the examples for them, and this checkout as the package. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixtureOf, installedAt } from '../../engines/installed.ts';

const checkout = fileURLToPath(new URL('../../..', import.meta.url));
const entries = {
  '.': './src/index.ts',
  './client': './src/client/index.ts',
  './adapters/*': './src/adapters/*.ts',
};

/** Nothing of it calls home: it has no key either. */
export const withoutTelemetry = {
  LANGCHAIN_TRACING_V2: 'false',
  LANGSMITH_TRACING: 'false',
  OPENAI_AGENTS_DISABLE_TRACING: '1',
  AI_SDK_LOG_WARNINGS: 'false',
};

export interface FrameworkProject extends Disposable {
  readonly path: string;
}

export function frameworkProject(): FrameworkProject {
  const path = mkdtempSync(join(tmpdir(), 'caisson-frameworks-'));
  const modules = join(path, 'node_modules');
  link(join(installedAt('adapters'), 'node_modules'), modules);
  const own = join(modules, 'caisson');
  mkdirSync(own);
  symlinkSync(join(checkout, 'src'), join(own, 'src'));
  writeFileSync(join(own, 'package.json'), JSON.stringify({ name: 'caisson', type: 'module', exports: entries }));
  writeFileSync(join(path, 'package.json'), '{"private":true,"type":"module"}');
  cpSync(join(checkout, 'examples/agents'), join(path, 'agents'), { recursive: true });
  cpSync(fixtureOf('adapters'), path, { recursive: true, filter: (file) => !file.endsWith('.json') });
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Each package by its own link, so that another one fits between them. */
function link(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from).filter((each) => !each.startsWith('.')))
    if (name.startsWith('@')) link(join(from, name), join(to, name));
    else symlinkSync(join(from, name), join(to, name));
}
