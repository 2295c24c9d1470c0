/** Agents in sandboxes of a real engine, without a network. */
import { writeFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { agentsImage, importAgentsImage } from '../engines/agents-image.ts';
import { dockerHost } from '../engines/docker.ts';
import { agentProgram, type Answering, TestEditor } from '../fixtures/acp/editor.ts';
import { cli, type Home, makeHome } from './home.ts';

const host = dockerHost();
const image = agentsImage.reference;
const timeout = 120_000;

beforeAll(async () => {
  if (host !== null) await importAgentsImage(host);
}, timeout);

describe.skipIf(host === null)('caisson acp in docker', () => {
  async function project(): Promise<{ readonly path: string } & AsyncDisposable> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'caisson-acp-project-')));
    const path = join(root, 'work');
    await mkdir(path);
    await copyFile(agentProgram, join(path, 'agent.ts'));
    return { path, [Symbol.asyncDispose]: async () => await rm(root, { recursive: true, force: true }) };
  }

  async function opened(home: Home, path: string, flags: readonly string[], answering: Answering): Promise<TestEditor> {
    const how = ['--backend', 'docker', '--image', image, '--network', 'none', ...flags];
    const inside = flags.includes('--inside');
    const agent = inside ? ['node', 'agent.ts'] : [process.execPath, agentProgram];
    const command = [process.execPath, cli, 'acp', '-q', ...how, '--', ...agent] as const;
    return await TestEditor.open(command, {
      env: { ...home.env, SECRET_OF_HOST: 'not-for-the-agent' },
      cwd: path,
      answering,
    });
  }

  it.each([
    ['inside, with the project bound', ['--inside']],
    ['inside, with the project synced', ['--inside', '--sync']],
    ['on this host, with the project bound', []],
    ['on this host, with the project synced', ['--sync']],
  ])('gives an agent %s the files of the project, and brings its edits back', { timeout }, async (_mode, flags) => {
    await using home = await makeHome();
    await using work = await project();
    await writeFile(join(work.path, 'given.txt'), 'from the host\n');
    const editor = await opened(home, work.path, flags, () => 'allow_once');
    const given = await editor.call('fs/read_text_file', { path: join(work.path, 'given.txt') });
    expect(given).toEqual({ content: 'from the host\n' });
    await editor.call('fs/write_text_file', { path: join(work.path, 'made.txt'), content: 'from the agent\n' });
    expect(await readFile(join(work.path, 'made.txt'), 'utf8')).toBe('from the agent\n');
    await editor.call('terminal/create', {
      command: 'pwd; cat made.txt; hostname; cat /proc/*/environ | tr "\\0" "\\n"; echo more > more.txt',
    });
    await editor.call('terminal/wait_for_exit', { terminalId: '$1' });
    const seen = await editor.call('terminal/output', { terminalId: '$1' });
    expect(JSON.stringify(seen)).toContain(`${work.path}\\nfrom the agent`);
    expect(JSON.stringify(seen)).not.toContain('not-for-the-agent');
    expect(await readFile(join(work.path, 'more.txt'), 'utf8')).toBe('more\n');
    expect(await editor.close()).toBe(0);
  });

  it('shows what it did not bring back, since both sides had changed it', { timeout }, async () => {
    await using home = await makeHome();
    await using work = await project();
    const file = join(work.path, 'both.txt');
    await writeFile(file, 'before\n');
    // Asked in the middle of the turn, when the sandbox has its own version already.
    const editor = await opened(home, work.path, ['--inside', '--sync'], () => {
      writeFileSync(file, 'on the host\n');
      return 'yes';
    });
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
    const { said } = await editor.prompt([
      { call: 'terminal/create', params: { command: 'echo inside > both.txt' } },
      { call: 'terminal/wait_for_exit', params: { terminalId: '$1' } },
      { call: 'session/request_permission', params: { toolCall: { toolCallId: 'x', title: 'now' }, options } },
    ]);
    expect(said.join('\n')).toContain('did not bring these files back');
    expect(said.join('\n')).toContain('both.txt');
    expect(await readFile(file, 'utf8')).toBe('on the host\n');
    await editor.close();
  });

  it('refuses a home directory as the project', { timeout }, async () => {
    await using home = await makeHome();
    await expect(opened(home, home.path, ['--inside'], () => 'deny')).rejects.toThrow('cannot be mounted');
  });
});
