/** Which packages are loaded, seen by a hook on the resolution of modules in a process of its own. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const module = new URL('../../../backends/daytona/backend.ts', import.meta.url).href;

/** Opens the backend behind a hook, and prints what is loaded and what `check` says. */
async function checked(env: Readonly<Record<string, string>>, renamed: string): Promise<string> {
  const text = `import { registerHooks } from 'node:module';
registerHooks({ resolve(name, context, next) {
  console.log('LOADS ' + name);
  return next(name === '@daytonaio/sdk' ? ${JSON.stringify(renamed)} : name, context);
} });
const { open } = await import(${JSON.stringify(module)});
console.log('OPENED');
const backend = open({ env: ${JSON.stringify(env)}, instance: 'x', settings: {} });
const { status, summary, remedy } = await backend.check();
console.log('CHECK ' + status + ': ' + summary + '; ' + remedy);
await backend.close();`;
  const args = ['--input-type=module', '-e', text];
  return (await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 })).stdout;
}

it(
  'loads the SDK of Daytona with the first use and not before, and names the command that installs it',
  { timeout: 60_000 },
  async () => {
    const key = { DAYTONA_API_KEY: 'dtn_x', DAYTONA_API_URL: 'http://127.0.0.1:9/api' };
    const absent = await checked(key, '@daytonaio/not-there');
    expect(absent.slice(0, absent.indexOf('OPENED'))).not.toContain('@daytonaio');
    expect(absent).toContain(
      'CHECK missing: the SDK of Daytona is not installed; install it beside Caisson: npm install @daytonaio/sdk@0.218.0',
    );
  },
);

it('needs a key, and sends it in clear to no other machine', { timeout: 60_000 }, async () => {
  expect(await checked({}, '@daytonaio/sdk')).toContain('CHECK missing: there is no key for Daytona');
  const plain = { DAYTONA_API_KEY: 'dtn_x', DAYTONA_API_URL: 'http://daytona.example/api' };
  const refused = await checked(plain, '@daytonaio/sdk');
  expect(refused).toContain('CHECK missing: the address of Daytona must begin with https://');
  expect(refused).not.toContain('LOADS @daytonaio/sdk');
});
