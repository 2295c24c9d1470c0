/** Kills services while detached processes run, and looks what became of those with services that come after. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { compiled } from '../../compiled.ts';
import type { Caisson } from '../../../src/service/caisson.ts';

const service = fileURLToPath(new URL('service.process.ts', import.meta.url));

/** Kills of the service in a run. */
export const kills = Number(process.env['CAISSON_LOAD_ADOPTIONS'] ?? 20);

export interface Killing {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly times: number;
}

/** They share the state directory, each with a task of its own: a sandbox keeps 64 ended processes at the most. */
export const tasks = ['work', 'more'] as const;

/** Ids that were accepted, with the status each will end with. */
export async function killServices(killing: Killing): Promise<ReadonlyMap<string, number>> {
  const accepted = new Map<string, number>();
  let next = 0;
  const worker = async (task: string): Promise<void> => {
    for (let round = next++; round < killing.times; round = next++)
      for (const [id, status] of await killOne(killing, task, `r${round}`)) accepted.set(id, status);
  };
  await Promise.all(tasks.map(worker));
  return accepted;
}

async function killOne({ home, env }: Killing, task: string, prefix: string): Promise<ReadonlyMap<string, number>> {
  const child = spawn(process.execPath, [service, home, task, prefix], {
    env: { ...env, ...compiled },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const closed = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), closed]);
  await sleep(Math.random() * 400);
  child.kill('SIGKILL');
  await closed;
  expect(child.signalCode).toBe('SIGKILL');
  const lines = said.split('\n').slice(0, -1);
  return new Map(lines.map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]));
}

const outputOf = (word: string): string => Array.from({ length: 20 }, (_, line) => `${word} ${line}\n`).join('');

/** Eight at a time. */
export async function expectAllAdopted(caisson: Caisson, accepted: ReadonlyMap<string, number>): Promise<void> {
  const all = [...accepted];
  while (all.length > 0) await Promise.all(all.splice(0, 8).map(([id, status]) => expectAdopted(caisson, id, status)));
}

async function expectAdopted(caisson: Caisson, id: string, status: number): Promise<void> {
  expect(await caisson.processes.wait(id)).toMatchObject({ id, state: 'exited', exitCode: status });
  const said = { stdout: '', stderr: '' };
  for await (const { event } of caisson.execs.logs(id, { follow: true })) {
    if (event.type === 'stdout' || event.type === 'stderr') said[event.type] += Buffer.from(event.bytes).toString();
    if (event.type === 'exit') expect(event.exit.exitCode).toBe(status);
  }
  expect(said).toEqual({ stdout: outputOf('line'), stderr: outputOf('err') });
}
