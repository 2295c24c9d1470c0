/** The first command after the idle time, by a fresh process and in a long-lived one. `CAISSON_LOAD_IDLE` sets how many. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { makeHome } from './home.ts';

const times = Number(process.env['CAISSON_LOAD_IDLE'] ?? 5);
const lifetime = { CAISSON_TERMINAL_LIFETIME_SECONDS: '1' };

describe('the first command after the idle time', () => {
  it('works by a fresh process, whose sweep finds the sandbox idle', { timeout: 600_000 }, async () => {
    await using home = await makeHome();
    expect(await home.cli(['create', '--task', 't'], '', lifetime)).toMatchObject({ code: 0 });
    for (let index = 0; index < times; index += 1) {
      await sleep(1_500);
      const ran = await home.cli(['exec', 't', '--', 'sh', '-c', 'sleep 0.4; echo done'], '', lifetime);
      expect(ran).toMatchObject({ code: 0, stdout: 'done\n' });
    }
  });

  it('works in a long-lived process, while others sweep', { timeout: 600_000 }, async () => {
    await using home = await makeHome();
    const caisson = await home.open({}, lifetime);
    await caisson.create({ taskId: 't' });
    for (let index = 0; index < times; index += 1) {
      await sleep(1_300);
      const swept = home.cli(['gc'], '', lifetime);
      const { exit, stdout } = await caisson.run({ taskId: 't', command: ['sh', '-c', 'sleep 0.4; echo done'] });
      expect({ reason: exit.reason, text: stdout.text }).toEqual({ reason: 'exited', text: 'done\n' });
      await swept;
    }
  });

  it('finds a copy across the idle time undisturbed', { timeout: 600_000 }, async () => {
    await using home = await makeHome();
    const caisson = await home.open({}, lifetime);
    await caisson.create({ taskId: 't' });
    const copy = caisson.run({ taskId: 't', command: ['sh', '-c', 'sleep 4; echo whole'], timeoutMs: null });
    for (let index = 0; index < 3; index += 1) {
      await sleep(1_000);
      await home.cli(['gc'], '', lifetime);
    }
    expect((await copy).stdout.text).toBe('whole\n');
  });

  it('says who stopped a sandbox under a command', { timeout: 60_000 }, async () => {
    await using home = await makeHome();
    const caisson = await home.open();
    await caisson.create({ taskId: 't' });
    const running = await caisson.exec({ taskId: 't', command: ['sleep', '30'] });
    running.ignore();
    expect(await home.cli(['stop', 't'])).toMatchObject({ code: 0 });
    expect((await running.exit).notes.join()).toMatch(/the sandbox was stopped by caisson stop \(process \d+\)/);
  });
});
