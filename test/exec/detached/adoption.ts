/** Kills services while detached processes run, and looks what became of those with services that come after. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Caisson } from '../../../src/caisson.ts';

const service = fileURLToPath(new URL('service.process.ts', import.meta.url));

/** Ids that were accepted, with the status each will end with. */
export async function killServices(
  home: string,
  env: Readonly<Record<string, string>>,
  times: number,
): Promise<ReadonlyMap<string, number>> {
  const accepted = new Map<string, number>();
  for (let round = 0; round < times; round += 1) {
    const child = spawn(process.execPath, [service, home, `r${round}`], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const closed = once(child, 'close');
    await Promise.race([once(child.stdout, 'data'), closed]);
    await sleep(Math.random() * 400);
    child.kill('SIGKILL');
    await closed;
    for (const line of said.split('\n').slice(0, -1))
      accepted.set(line.split(' ')[0] ?? '', Number(line.split(' ')[1]));
  }
  return accepted;
}

export async function expectAllAdopted(caisson: Caisson, accepted: ReadonlyMap<string, number>): Promise<void> {
  const lines = Array.from({ length: 20 }, (_, index) => index);
  for (const [id, status] of accepted) {
    expect(await caisson.wait(id)).toMatchObject({ id, state: 'exited', exitCode: status });
    const said = { stdout: '', stderr: '' };
    for await (const { event } of caisson.logs(id, { follow: true })) {
      if (event.type === 'stdout' || event.type === 'stderr') said[event.type] += Buffer.from(event.bytes).toString();
      if (event.type === 'exit') expect(event.exit.exitCode).toBe(status);
    }
    expect(said).toEqual({
      stdout: lines.map((line) => `line ${line}\n`).join(''),
      stderr: lines.map((line) => `err ${line}\n`).join(''),
    });
  }
}
