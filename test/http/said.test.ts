/** What the command line says with a request: rules, YOLO, its project and skills. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { answerFile, readServiceRecord, type ServiceRecord } from '../../src/lib/service-record.ts';
import { askSocket, type Answer } from './unix.ts';
import { openWorld, type World } from './world.ts';

let world: World;
let record: ServiceRecord;
let answer: string;
let count = 0;

beforeAll(async () => {
  world = await openWorld();
  const { home } = world.api.config;
  record = readServiceRecord(home) ?? expect.fail('there is no record');
  answer = readFileSync(answerFile(home), 'utf8').trim();
  await world.ask('/v1/sandboxes', { body: { taskId: 'build' } });
});
afterAll(async () => await world[Symbol.asyncDispose]());

interface How {
  readonly decides?: boolean;
  readonly method?: string;
  readonly token?: string;
}

const ask = async (path: string, body: unknown, { decides = false, method, token }: How = {}): Promise<Answer> =>
  await askSocket(record.socket, path, {
    token: token ?? record.token,
    body,
    headers: decides ? { 'caisson-answer': answer } : {},
    ...(method === undefined ? {} : { method }),
  });

const run = async (command: readonly string[], said: object, how: How = {}): Promise<Answer> =>
  await ask(
    '/v1/sandboxes/build/execs',
    { command, execId: `exec_said${count++}`, waitForApproval: false, ...said },
    how,
  );

const codeOf = ({ body }: Answer): unknown => body['code'] ?? Object(body['exit'])['reason'];
const decided = { decides: true } as const;
const risky = ['rm', '-rf', '/home/nowhere/at/all'];

describe('rules of one request', () => {
  it('hold for it alone, with the answer token', async () => {
    const deny = { rules: { deny: ['terminal(echo:*)'] } };
    expect(codeOf(await run(['echo', 'a'], deny, decided))).toBe('policy_denied');
    expect(codeOf(await run(['echo', 'a'], {}))).toBe('exited');
    const ask = { rules: { ask: ['terminal(echo:*)'] } };
    expect(codeOf(await run(['echo', 'a'], ask, decided))).toBe('approval_required');
    expect(codeOf(await run(risky, {}))).toBe('approval_required');
    expect(codeOf(await run(risky, { rules: { allow: [`terminal(${risky.join(' ')})`] } }, decided))).toBe('exited');
  });

  it('hold for programs, texts of sessions, detached processes and files', async () => {
    const deny = { rules: { deny: ['terminal', 'execute_code', 'process', 'read_file'] } };
    const code = { language: 'bash', text: 'true', ...deny };
    expect(codeOf(await ask('/v1/sandboxes/build/code', code, decided))).toBe('policy_denied');
    await ask('/v1/sandboxes/build/sessions', { name: 's' });
    const text = { text: 'echo a', ...deny };
    expect(codeOf(await ask('/v1/sandboxes/build/sessions/s/execs', text, decided))).toBe('policy_denied');
    const process = { command: ['echo', 'a'], ...deny };
    expect(codeOf(await ask('/v1/sandboxes/build/processes', process, decided))).toBe('policy_denied');
    const path = `/v1/sandboxes/build/files?path=${world.root}/home/config.yaml&rules=`;
    const read = path + encodeURIComponent(JSON.stringify(deny.rules));
    expect(codeOf(await ask(read, undefined, { decides: true, method: 'GET' }))).toBe('policy_denied');
    expect(codeOf(await ask(read, undefined, { method: 'GET' }))).toBe('permission_denied');
  });

  it('need the answer token', async () => {
    expect(codeOf(await run(['echo', 'a'], { rules: { allow: ['terminal(rm:*)'] } }))).toBe('permission_denied');
    expect(codeOf(await run(['echo', 'a'], { yolo: true }))).toBe('permission_denied');
    expect(codeOf(await run(['echo', 'a'], { yolo: false }))).toBe('exited');
  });

  it('are refused when they are no rules', async () => {
    for (const rules of ['x', { alow: [] }, { deny: 'terminal' }, { deny: [1] }])
      expect(codeOf(await run(['echo', 'a'], { rules }, decided))).toBe('invalid_argument');
    expect(codeOf(await run(['echo', 'a'], { yolo: 'yes' }, decided))).toBe('invalid_argument');
    expect(codeOf(await run(['echo', 'a'], { project: 'relative' }))).toBe('invalid_argument');
    expect(codeOf(await run(['echo', 'a'], { rules: { deny: ['terminal('] } }, decided))).toBe('invalid_argument');
  });
});

it('YOLO of one request skips questions about dangers, for it alone', async () => {
  expect(codeOf(await run(risky, { yolo: true }, decided))).toBe('exited');
  expect(codeOf(await run(risky, {}))).toBe('approval_required');
  expect(codeOf(await run(['rm', '-rf', '/'], { yolo: true }, decided))).toBe('policy_denied');
});

it('YOLO of one request has no effect under the profile strict', async () => {
  await using strict = await openWorld({ config: 'policy: {profile: strict}\n' });
  const { socket, token } = readServiceRecord(strict.api.config.home) ?? expect.fail('there is no record');
  const headers = { 'caisson-answer': readFileSync(answerFile(strict.api.config.home), 'utf8').trim() };
  await askSocket(socket, '/v1/sandboxes', { token, body: { taskId: 'build' } });
  const body = { command: ['touch', 'x'], execId: 'exec_strict', waitForApproval: false, yolo: true };
  expect(codeOf(await askSocket(socket, '/v1/sandboxes/build/execs', { token, headers, body }))).toBe(
    'approval_required',
  );
});

describe('the project of one request', () => {
  const project = (name: string, rules: string): string => {
    const directory = join(world.root, name);
    mkdirSync(join(directory, '.caisson'), { recursive: true });
    writeFileSync(join(directory, '.caisson', 'permissions.yaml'), rules);
    return directory;
  };

  it('tightens as the directory of a command line without a service does, and never loosens', async () => {
    const strict = project('strict', 'deny: ["terminal(echo:*)"]\nallow: ["terminal(rm:*)"]\n');
    expect(codeOf(await run(['echo', 'a'], { project: strict }))).toBe('policy_denied');
    expect(codeOf(await run(risky, { project: strict }))).toBe('approval_required');
    expect(codeOf(await run(['echo', 'a'], { project: world.root }))).toBe('exited');
    expect(codeOf(await run(['touch', 'a'], { project: project('plan', 'tool_mode: plan\n') }))).toBe('policy_denied');
  });

  it('is read at each request, and refuses what it cannot read', async () => {
    const changing = project('changing', 'deny: ["terminal(echo:*)"]\n');
    expect(codeOf(await run(['echo', 'a'], { project: changing }))).toBe('policy_denied');
    project('changing', 'deny: ["terminal(touch:*)"]\n');
    expect(codeOf(await run(['echo', 'a'], { project: changing }))).toBe('exited');
    project('changing', 'no rules\n');
    expect(codeOf(await run(['echo', 'a'], { project: changing }))).toBe('invalid_argument');
  });

  it('is where commands on this host start', async () => {
    const { body } = await run(['pwd'], { project: project('here', '') });
    expect(Object(body['stdout'])['text']).toBe(`${join(world.root, 'here')}\n`);
    const answered = await ask(
      `/v1/sandboxes/build/files/stat?path=.caisson&project=${join(world.root, 'here')}`,
      undefined,
      { method: 'GET' },
    );
    expect(answered.body).toMatchObject({ kind: 'directory' });
  });
});

it('skills of one request pass on the variables that they require', async () => {
  const skill = join(world.root, 'skill');
  mkdirSync(skill);
  writeFileSync(
    join(skill, 'SKILL.md'),
    '---\nname: s\ndescription: d\nrequired_environment_variables:\n  - name: NOT_SET_HERE\n---\nText.\n',
  );
  expect(codeOf(await run(['true'], { skills: [skill] }))).toBe('exited');
  expect(codeOf(await run(['true'], { skills: [join(world.root, 'none')] }))).not.toBe('exited');
});

describe('from any other client', () => {
  it('they are unknown keys, on every address', async () => {
    for (const key of [{ rules: {} }, { yolo: false }, { project: '/' }, { skills: [] }]) {
      const body = { command: ['echo', 'a'], ...key };
      expect((await world.ask('/v1/sandboxes/build/execs', { body })).status).toBe(422);
      expect(codeOf(await run(['echo', 'a'], key, { token: world.agent }))).toBe('invalid_argument');
    }
    const read = await world.ask('/v1/sandboxes/build/files?path=/etc/hostname&yolo=false');
    expect(read.status).toBe(422);
  });

  it('they are unknown keys where nothing runs', async () => {
    const body = { name: 'x', scopes: ['read'], yolo: false };
    expect(codeOf(await ask('/v1/tokens', body))).toBe('invalid_argument');
    expect(codeOf(await ask('/v1/sandboxes', { taskId: 'build', skills: [] }))).toBe('invalid_argument');
  });
});

it('a terminal takes them with its other words', async () => {
  const query = new URLSearchParams({ command: 'true', rules: JSON.stringify({ deny: ['terminal(true)'] }) });
  const open = (headers: Readonly<Record<string, string>>): Promise<string> =>
    new Promise((resolve, reject) => {
      const url = `ws+unix:${record.socket}:/v1/sandboxes/build/pty?${query.toString()}`;
      const socket = new WebSocket(url, ['caisson.v1'], {
        headers: { host: 'localhost', authorization: `Bearer ${record.token}`, ...headers },
      });
      socket.once('message', (data) => {
        const text = Buffer.isBuffer(data) ? data.toString() : '';
        resolve(String(Object(Object(JSON.parse(text))['error'])['code']));
        socket.close();
      });
      socket.once('error', reject);
    });
  expect(await open({ 'caisson-answer': answer })).toBe('policy_denied');
  expect(await open({})).toBe('permission_denied');
});
