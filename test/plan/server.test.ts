import { describe, expect, it } from 'vitest';
import { checkServerTask, planOfServer } from '../../src/plan/server.ts';
import type { Plan } from '../../src/plan/types.ts';
import { taskOfServer } from '../../src/values/server-task.ts';
import { isTaskId } from '../../src/values/task.ts';
import { generous } from './fixtures.ts';

const servers = ['github', 'My.Server'];

describe('the sandbox of an MCP server', () => {
  it('has a task of its own for every name that a server can have', () => {
    const names = [
      'github',
      'GitHub',
      'git.hub',
      'git-hub',
      'GIT-HUB',
      'x'.repeat(64),
      `${'x'.repeat(63)}y`,
      'a_b',
      'A',
    ];
    const tasks = names.map(taskOfServer);
    expect(tasks.every(isTaskId)).toBe(true);
    expect(new Set(tasks).size).toBe(names.length);
    expect(tasks[0]).toBe('mcp-github');
  });

  it('is reached by its own request alone', () => {
    const check = (request: { readonly server?: string }, taskId: string, isClient = false) =>
      checkServerTask(request, { taskId, servers, isClient });
    check({ server: 'github' }, 'mcp-github');
    check({}, 'mcp-slack');
    check({ server: 'github' }, 'build');
    for (const server of servers) {
      expect(() => check({}, taskOfServer(server))).toThrow(`is that of the MCP server ${server}`);
      expect(() => check({ server: 'slack' }, taskOfServer(server))).toThrow('is that of the MCP server');
    }
    expect(() => check({ server: 'github' }, 'mcp-github', true)).toThrow('a client of the service cannot run');
  });

  const credentials = { configured: ['token.json'], bySkills: ['a'], directory: '/root/.caisson' };
  const plan = (taskId: string, isolation: Plan['guarantees']['isolation']) =>
    ({
      taskId,
      forwardEnv: ['A'],
      setEnv: { D: '1' },
      passEnv: ['B'],
      skills: ['c'],
      credentials,
      guarantees: { ...generous, isolation },
      spec: { backend: 'some' },
    }) as unknown as Plan;

  it('gets no variable, skill or credential file of this host', () => {
    const none = { forwardEnv: [], setEnv: {}, passEnv: [], skills: [] };
    const own = { ...credentials, configured: [], bySkills: [] };
    expect(planOfServer(plan('mcp-github', 'container'), 'github')).toMatchObject({ ...none, credentials: own });
    expect(planOfServer(plan('build', 'none'), 'github')).toMatchObject({ ...none, credentials });
  });

  it('is refused where tasks are not kept apart', () => {
    for (const isolation of ['none', 'remote-host'] as const)
      expect(() => planOfServer(plan('mcp-github', isolation), 'github')).toThrow(
        'could read what the MCP server github',
      );
  });
});
