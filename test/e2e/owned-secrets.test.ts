/** Secrets of one owner: its commands have them, those of others and of the operator do not, and they are shown nowhere. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CaissonApi, RunResult } from '../../src/service/api.ts';
import { apiOf } from '../../src/service/owned.ts';
import { dockerHost } from '../engines/docker.ts';
import { connect } from '../engines/engine-api.ts';
import { type Home, makeHome } from './home.ts';

/** In no form that a pattern knows. */
const values = {
  alice: 'qzx-plain-value-of-alice-1',
  bob: 'qzx-plain-value-of-bob-2',
  operator: 'qzx-plain-value-of-operator-3',
  file: 'qzx-plain-content-of-alice-4',
};
const anyValue = (text: string): readonly string[] => Object.values(values).filter((value) => text.includes(value));

let home: Home;
let api: CaissonApi;
let hostFile: string;
const clients = new Map<string, CaissonApi>();

const configOf = (aliceFiles: string): string => `approvals: {mode: "off"}
terminal: {env_passthrough: [SHARED_NAME]}
owners:
  alice:
    backends: [docker]
    secrets:
      variables: {SHARED_NAME: {from_env: OF_ALICE}, ABSENT_ONE: {from_env: NOT_SET}}
      files: ${aliceFiles}
  bob: {backends: [docker], secrets: {variables: {SHARED_NAME: {from_env: OF_BOB}}}}
  carol: {backends: [docker]}
`;

const write = async (files: string): Promise<void> =>
  await writeFile(join(home.path, 'config.yaml'), configOf(files), { mode: 0o600 });

beforeAll(async () => {
  home = await makeHome();
  hostFile = join(home.path, 'host-only-name.json');
  await writeFile(hostFile, JSON.stringify({ refresh_token: values.file }), { mode: 0o600 });
  await write(`{sub/token.json: ${hostFile}, gone.json: /nowhere/at-all.json}`);
  api = await home.open({}, { OF_ALICE: values.alice, OF_BOB: values.bob, SHARED_NAME: values.operator });
  for (const owner of ['alice', 'bob', 'carol', 'operator']) {
    const { info } = { info: await api.tokens.create({ name: owner, scopes: ['run', 'read'], owner }, 'test') };
    clients.set(owner, apiOf(api, info));
  }
}, 60_000);
afterAll(async () => await home[Symbol.asyncDispose]());

const as = (owner: string): CaissonApi => clients.get(owner) ?? expect.fail(owner);
const sh = async (owner: string, text: string): Promise<RunResult> =>
  await as(owner).run({ taskId: 'build', backend: 'docker', command: ['sh', '-c', text] });
/** Without what redaction takes out. */
const encoded = async (owner: string, text: string): Promise<string> =>
  [...(await sh(owner, `${text} | rev`)).stdout.text.trim()].reverse().join('');

it('the same name is the own value of each owner, and nothing where none is given', { timeout: 120_000 }, async () => {
  expect(await encoded('alice', 'echo "$SHARED_NAME"')).toBe(values.alice);
  expect(await encoded('bob', 'echo "$SHARED_NAME"')).toBe(values.bob);
  expect(await encoded('operator', 'echo "$SHARED_NAME"')).toBe(values.operator);
  expect(await encoded('carol', 'echo "[$SHARED_NAME]"')).toBe('[]');
  for (const owner of clients.keys()) expect(await encoded(owner, 'echo "[$OF_ALICE$OF_BOB]"')).toBe('[]');
});

it('a file of an owner is in its sandboxes, read-only, and in no others', { timeout: 120_000 }, async () => {
  const file = '"$CAISSON_CREDENTIALS/sub/token.json"';
  expect(await encoded('alice', `cat ${file}`)).toContain(values.file);
  expect((await sh('alice', `echo x > ${file}`)).exit.exitCode).not.toBe(0);
  for (const owner of ['bob', 'carol', 'operator']) {
    expect(
      (await sh(owner, 'test -e /root/.caisson/sub/token.json || test -n "$CAISSON_CREDENTIALS"')).exit.exitCode,
    ).toBe(1);
  }
  const running = await as('alice').exec({ taskId: 'build', backend: 'docker', command: ['true'] });
  running.ignore('stdout');
  running.ignore('stderr');
  await running.exit;
  expect([running.missingFiles, running.unsetVariables]).toEqual([['gone.json'], ['ABSENT_ONE']]);
});

it(
  'detached processes have them, and what is read of them is without values, also after a restart',
  { timeout: 120_000 },
  async () => {
    const command = ['sh', '-c', 'echo "$SHARED_NAME"; cat "$CAISSON_CREDENTIALS/sub/token.json"'] as const;
    const { id } = await as('alice').processes.start({ taskId: 'build', backend: 'docker', command });
    await as('alice').processes.wait(id);
    const later = await home.open({}, { OF_ALICE: values.alice, OF_BOB: values.bob, SHARED_NAME: values.operator });
    for (const service of [as('alice'), later]) {
      const key = service === later ? id.replace('exec_', 'exec_alice.') : id;
      const events = await Array.fromAsync(service.execs.logs(key));
      const text = events
        .map(({ event }) => (event.type === 'stdout' ? Buffer.from(event.bytes).toString() : ''))
        .join('');
      expect(text).toContain('[REDACTED:SHARED_NAME]');
      expect(anyValue(text)).toEqual([]);
    }
    await later.close();
  },
);

it(
  'values are in no record, no error, no container and no file of the state directory',
  { timeout: 120_000 },
  async () => {
    const seen: unknown[] = [];
    const refused = await as('alice')
      .files.read({ task: 'build', path: '/root/.caisson/sub/token.json' })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'policy_denied' });
    const wrong = { taskId: 'build', backend: 'docker', command: ['/no/such/program'] } as const;
    seen.push(refused, await as('alice').run(wrong).catch(String), await sh('alice', 'env; exit 3'));
    seen.push(await as('alice').execs.list(), await Array.fromAsync(api.audit.tail({ count: 1000, follow: false })));
    seen.push(await Array.fromAsync(as('alice').audit.tail({ count: 1000, follow: false })), as('alice').config);
    const docker = connect(dockerHost() ?? '');
    for (const id of await home.containers()) {
      const inspected = await docker.getContainer(id).inspect();
      seen.push(inspected);
      for (const exec of inspected.ExecIDs ?? []) seen.push(await docker.getExec(exec).inspect());
    }
    expect(anyValue(JSON.stringify(seen))).toEqual([]);
    // Names of the host are the operator's.
    expect(JSON.stringify([refused, await as('alice').execs.list()])).not.toMatch(/host-only-name|NOT_SET/);
    const entries = await readdir(home.path, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const own = files.filter((file) => file !== hostFile && !/\/(?:sandboxes|credentials\/[^/]+\/files)\//.test(file));
    const kept = await Promise.all(own.map((file) => readFile(file, 'latin1').catch(() => '')));
    expect(kept.flatMap(anyValue)).toEqual([]);
  },
);

it(
  'values are replaced in the output of their owner, and not in that of others, which would show them',
  { timeout: 120_000 },
  async () => {
    const all = Object.values(values).join(' ');
    const { stdout } = await sh('alice', `echo ${all}`);
    expect(stdout.text).toContain('[REDACTED:SHARED_NAME]');
    expect(anyValue(stdout.text)).toEqual([values.bob]);
    // Who guesses a value learns nothing from what becomes of it.
    expect(anyValue((await sh('carol', `echo ${values.alice} ${values.file} ${values.bob}`)).stdout.text)).toHaveLength(
      3,
    );
    expect(anyValue((await sh('bob', `echo ${values.alice} ${values.bob}`)).stdout.text)).toEqual([values.alice]);
  },
);

it('a file that the configuration no longer has is gone after a reload', { timeout: 120_000 }, async () => {
  await write('{}');
  expect(await api.config.reload()).toMatchObject({ changed: ['owners'] });
  const { exit } = await sh('alice', 'test -e /root/.caisson/sub/token.json');
  expect(exit.exitCode).toBe(1);
  await write('{}\n      unknown: 1');
  await expect(api.config.reload()).rejects.toMatchObject({ code: 'invalid_argument' });
});
