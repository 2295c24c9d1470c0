/** Which packages are loaded, seen by a hook on the resolution of modules in a process of its own. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = new URL('../../../', import.meta.url);
const main = new URL('src/main.ts', root).href;

/** Names of packages that the text of a module loads. */
async function loadedBy(text: string): Promise<{ readonly packages: ReadonlySet<string>; readonly stdout: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'caisson-loading-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const hook = `import { registerHooks } from 'node:module';
registerHooks({ resolve(name, context, next) { console.log('LOADS ' + name); return next(name, context); } });`;
  await writeFile(join(directory, 'hook.mjs'), hook);
  await writeFile(join(directory, 'main.mjs'), text.replaceAll('DIRECTORY', JSON.stringify(directory)));
  const args = ['--import', pathToFileURL(join(directory, 'hook.mjs')).href, join(directory, 'main.mjs')];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 });
  return { packages: new Set([...stdout.matchAll(/^LOADS (.+)$/gm)].map(([, name = '']) => name)), stdout };
}

const uses = (backend: string): string => `
import { openCaisson } from ${JSON.stringify(main)};
const flags = { 'terminal.backend': '${backend}' };
const env = { PATH: process.env.PATH, HOME: DIRECTORY };
const caisson = await openCaisson({ home: DIRECTORY + '/state', env, cwd: DIRECTORY, flags });
const [{ check }] = await caisson.backends.check(['${backend}']);
console.log('CHECK ' + check.status + ' ' + check.summary + ' ' + check.remedy);
await caisson.close();
`;

describe('the SDK of Modal', { timeout: 60_000 }, () => {
  it('is not loaded unless its backend is used', async () => {
    const { packages } = await loadedBy(uses('local'));
    expect(packages.size).toBeGreaterThan(20);
    expect([...packages].filter((name) => /^(modal|@daytonaio\/sdk|@grpc\/.*|nice-grpc)$/.test(name))).toEqual([]);
  });

  it('is loaded when it is, and says what it lacks', async () => {
    const { packages, stdout } = await loadedBy(uses('modal'));
    expect(packages).toContain('modal');
    expect(stdout).toMatch(/^CHECK missing there are no credentials of Modal set MODAL_TOKEN_ID/m);
  });

  it('is named with the command that installs it where it is absent', async () => {
    const absent = `import { registerHooks } from 'node:module';
registerHooks({ resolve(name, context, next) { return next(name === 'modal' ? 'modal-that-is-not-there' : name, context); } });`;
    const { stdout } = await loadedBy(
      `${absent}\n`.concat(
        uses('modal').replace(/^import .*$/m, `const { openCaisson } = await import(${JSON.stringify(main)});`),
      ),
    );
    expect(stdout).toMatch(/^CHECK missing the SDK of Modal is not installed npm install modal@0\.11\.1/m);
  });
});
