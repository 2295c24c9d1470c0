import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { expect } from 'vitest';
import { eventually, run, start } from '../command.ts';
import type { Suite } from '../suite.ts';

export function leftoverCases(suite: Suite): void {
  suite.test('leftovers.descriptors', 'gives every descriptor back that a command took', async (place) => {
    const sandbox = await place.sandbox();
    for (let index = 0; index < 8; index += 1) await run(sandbox, ['true']);
    const before = streams();
    for (let index = 0; index < 24; index += 1) await run(sandbox, ['cat'], { stdin: 'x' });
    const idle = await start(sandbox, ['sleep', '60'], { keepStdin: true });
    await idle.kill('SIGKILL');
    idle.release();
    await idle.wait();
    // Spare ones that are made ahead may come and go; one lost a command would be at least 24.
    expect(await eventually(() => streams() < before + 16)).toBe(true);
  });

  suite.test('leftovers.zombies', 'leaves no zombie behind in the service', async (place) => {
    const sandbox = await place.sandbox();
    await Promise.all(Array.from({ length: 12 }, () => run(sandbox, ['true'])));
    expect(await eventually(() => zombies() === 0)).toBe(true);
  });

  suite.test('leftovers.resources', 'lists nothing any more once all is destroyed', async (place) => {
    await place.clear();
    expect(await place.listed()).toEqual([]);
  });
}

/** Sockets and pipes of this process. */
function streams(): number {
  return readdirSync('/proc/self/fd').filter((fd) => isStream(fd)).length;
}

function isStream(fd: string): boolean {
  try {
    return (
      !readlinkSync(`/proc/self/fd/${fd}`).startsWith('/dev/') &&
      !/^\/.*\.(ts|js|json|node)$/.test(readlinkSync(`/proc/self/fd/${fd}`))
    );
  } catch {
    // The descriptor of the listing itself is closed by now.
    return false;
  }
}

/** Dead children of this process that was not waited for. */
function zombies(): number {
  return readdirSync('/proc').filter((pid) => /^[0-9]+$/.test(pid) && isOurZombie(pid)).length;
}

function isOurZombie(pid: string): boolean {
  try {
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return state === 'Z' && Number(parent) === process.pid;
  } catch {
    // It has ended meanwhile, and somebody has waited for it.
    return false;
  }
}
