/** SEC-F2: variables of a request on hosts, through the real service on this host and on one over ssh. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openCaisson } from '../../src/main.ts';
import type { OpenInput } from '../../src/service/open.ts';
import type { Question } from '../../src/guard/types.ts';
import { hasSshd, startSshd } from '../engines/sshd.ts';
import { makeHome } from './home.ts';

const sshd = hasSshd() ? await startSshd() : null;
afterAll(async () => await sshd?.stop());

const where = ['local', ...(sshd === null ? [] : ['ssh'])];
const refused = { code: 'approval_required', details: { reason: 'no-approver' } };

async function attacked(backend: string) {
  const home = await makeHome();
  const at = (name: string) => join(home.path, name);
  const [evil, tree, marker] = [at('evil'), at('tree'), at('marker')];
  await mkdir(evil);
  execFileSync('git', ['init', '--quiet', tree]);
  await writeFile(join(evil, 'git'), `#!/bin/sh\necho taken > ${marker}\n`);
  await chmod(join(evil, 'git'), 0o755);
  await writeFile(join(evil, '.gitconfig'), `[core]\n  fsmonitor = ${join(evil, 'git')}\n`);
  const config = `terminal: {backend: ${backend}}\napprovals:\n  tool_mode: supervised\n  rules: {allow: ["terminal(git:*)"]}\n`;
  await writeFile(at('config.yaml'), config, { mode: 0o600 });
  const env = { PATH: process.env['PATH'] ?? '', HOME: sshd?.home ?? home.path };
  const settings = Object.entries(sshd?.settings ?? {}).map(([key, value]) => [`terminal.ssh_${key}`, value] as const);
  const open = async (input: Pick<OpenInput, 'approver'> = {}) =>
    await openCaisson({ home: home.path, env, cwd: home.path, flags: Object.fromEntries(settings), ...input });
  return { home, open, evil, tree, marker, env };
}

describe.each(where)('variables of a request on %s', (backend) => {
  it('do not turn an allowed command into another one', async () => {
    const { home, open, evil, tree, marker } = await attacked(backend);
    await using _ = home;
    const caisson = await open();
    const git = async (env: Record<string, string>) =>
      await caisson.run({ command: ['git', 'status'], cwd: tree, env });
    try {
      expect(await git({})).toMatchObject({ exit: { exitCode: 0 } });
      for (const env of [
        { PATH: `${evil}:/usr/bin:/bin` },
        { HOME: evil },
        { XDG_CONFIG_HOME: evil },
        { GIT_TRACE: marker },
        { HARMLESS: 'but an allow rule does not hold' },
      ])
        await expect(git(env)).rejects.toMatchObject(refused);
      expect(existsSync(marker)).toBe(false);
    } finally {
      await caisson.close();
    }
  });

  it('are shown by name, and an answer for one value does not hold for another', async () => {
    const { home, open, evil, tree } = await attacked(backend);
    await using _ = home;
    const questions: Question[] = [];
    const caisson = await open({
      approver: async (question) => await Promise.resolve((questions.push(question), 'session')),
    });
    const git = async (value: string) =>
      await caisson.run({ taskId: 'build', command: ['git', 'status'], cwd: tree, env: { GIT_DIR: value } });
    try {
      await git(join(tree, '.git'));
      await git(join(evil, '.git'));
      expect(questions).toHaveLength(2);
      expect(questions[0]?.variables).toContain('GIT_DIR');
      expect(JSON.stringify(questions)).not.toContain(join(tree, '.git'));
      expect(questions[0]?.choices).not.toContain('always');
    } finally {
      await caisson.close();
    }
  });
});

it('a value that the command would have anyway changes nothing', async () => {
  const { home, open, tree, env } = await attacked('local');
  await using _ = home;
  const caisson = await open();
  try {
    const { exit } = await caisson.run({ command: ['git', 'status'], cwd: tree, env });
    expect(exit.exitCode).toBe(0);
  } finally {
    await caisson.close();
  }
});
