/** Without an SDK nothing of OpenTelemetry is loaded, and the work is called at once. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const traced = fileURLToPath(new URL('../../src/lib/traced.ts', import.meta.url));
const run = promisify(execFile);

/** Prints what was asked for by a name that holds `opentelemetry`, and the result of the work. */
const programOf = (before: string): string => `
  import { registerHooks } from 'node:module';
  const asked = [];
  registerHooks({ resolve: (name, how, next) => { if (name.includes('opentelemetry')) asked.push(name); return next(name, how); } });
  ${before}
  const { traced } = await import(${JSON.stringify(traced)});
  let called = false;
  const work = traced({ name: 'x' }, async (fields) => { called = true; return Object.keys(fields).length; });
  const atOnce = called;
  console.log(JSON.stringify({ result: await work, atOnce, asked }));
`;

async function ended(before: string): Promise<unknown> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', programOf(before)]);
  return JSON.parse(stdout);
}

it('loads nothing where no SDK is registered', async () => {
  expect(await ended('')).toEqual({ result: 0, atOnce: true, asked: [] });
});

it('loads the API where a program has registered something, and does the work where that fails', async () => {
  const registered = "globalThis[Symbol.for('opentelemetry.js.api.1')] = { version: '1.9.0', trace: {} };";
  expect(await ended(registered)).toMatchObject({ result: 0, asked: ['@opentelemetry/api'] });
});
