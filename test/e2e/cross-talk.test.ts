import { expect, it } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { makeHome } from './home.ts';

const execs = Number(process.env['CAISSON_LOAD_CROSS_TALK'] ?? 3000);
const callers = 8;

interface ExpectedOutput {
  readonly mark: string;
  readonly stdout: string;
  readonly status: number;
  readonly text: string;
}

/** Every fifth leaves a writer in the background; half of those let go of the streams first. */
function wanted(index: number): ExpectedOutput {
  const mark = `<${index}>`;
  const status = index % 256;
  const late = `sleep 0.0${index % 10}; printf '${mark}'`;
  const background = index % 10 === 0 ? `(${late}) & ` : index % 10 === 5 ? `(${late}) >/dev/null 2>&1 & ` : '';
  return {
    mark,
    stdout: mark.repeat(index % 10 === 0 ? 2 : 1),
    status,
    text: `${background}printf '${mark}'; printf '${mark}' >&2; exit ${status}`,
  };
}

interface ExecOutput {
  readonly id: string;
  readonly stdout: string;
  readonly stderr: string;
}

async function one(caisson: Caisson, { mark, stdout, status, text }: ExpectedOutput): Promise<ExecOutput> {
  const result = await caisson.run({ taskId: 'work', existing: true, command: ['sh', '-c', text] });
  const seen = { id: result.execId, stdout: result.stdout.text, stderr: result.stderr.text };
  expect([result.exit.reason, result.exit.exitCode]).toEqual(['exited', status]);
  expect([seen.stdout, seen.stderr]).toEqual([stdout, mark]);
  return seen;
}

async function journaled(caisson: Caisson, id: string): Promise<{ stdout: string; stderr: string }> {
  const said = { stdout: '', stderr: '' };
  for await (const { event } of caisson.execs.logs(id))
    if (event.type === 'stdout' || event.type === 'stderr') said[event.type] += Buffer.from(event.bytes).toString();
  return said;
}

it(
  'thousands of execs at eight callers, with writers left in the background: every byte is in the journal of its own exec',
  { timeout: 900_000 },
  async () => {
    await using home = await makeHome();
    const caisson = await home.open();
    await caisson.sandboxes.create({ taskId: 'work', limits: { cpuCores: null } });
    const seen: ExecOutput[] = [];
    let next = 0;
    const caller = async (): Promise<void> => {
      for (let index = next++; index < execs; index = next++) seen.push(await one(caisson, wanted(index)));
    };
    await Promise.all(Array.from({ length: callers }, caller));
    expect(seen).toHaveLength(execs);
    for (const { id, stdout, stderr } of seen) expect(await journaled(caisson, id)).toEqual({ stdout, stderr });
    await caisson.sandboxes.remove('work');
  },
);
