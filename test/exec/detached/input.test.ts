import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/backend.ts';
import { waitForProcess } from '../../../src/exec/detached/end.ts';
import { followProcess } from '../../../src/exec/detached/follow.ts';
import { sendInput } from '../../../src/exec/detached/input.ts';
import { findProcess, type ProcessDirectory } from '../../../src/exec/detached/list.ts';
import { startDetached } from '../../../src/exec/detached/start.ts';
import { keptSandbox } from '../kept-sandbox.ts';
import { shells } from '../kill/shells.ts';
import { shell as shellRequest, where } from '../requests.ts';

async function outputOf(kept: ProcessDirectory, id: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const { event } of followProcess(kept, id, { after: 0, follow: true, where, cwd: '/' }))
    if (event.type === 'stdout') chunks.push(event.bytes);
  return Buffer.concat(chunks);
}

/** A source that a writer leaves without ending it. */
async function leave(kept: ProcessDirectory, id: string, text: string): Promise<void> {
  const left = new AbortController();
  const source = new Readable({ read: () => {} });
  source.push(text);
  const sent = sendInput({ ...kept, signal: left.signal }, id, source);
  sent.catch(() => {});
  await sleep(500);
  left.abort();
  await expect(sent).rejects.toMatchObject({ code: 'canceled' });
}

describe.each(shells)('the input of a detached process under %s', (shell) => {
  it('is open from one writer to the next, exact, until a source has ended', { timeout: 60_000 }, async () => {
    using home = keptSandbox(shell);
    const kept = { sandbox: home.sandbox, key: '' };
    const request = shellRequest('cat; echo end', { stdin: true });
    await startDetached(kept, request);
    expect(await findProcess(kept, request.execId)).toMatchObject({ state: 'running', inputOpen: true });
    await leave(kept, request.execId, 'one\n');
    expect(await findProcess(kept, request.execId)).toMatchObject({ state: 'running', inputOpen: true });
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 256));
    await sendInput(kept, request.execId, Readable.from([bytes]));
    expect(await waitForProcess(kept, request.execId)).toMatchObject({
      state: 'exited',
      exitCode: 0,
      inputOpen: false,
    });
    const output = await outputOf(kept, request.execId);
    expect(output.equals(Buffer.concat([Buffer.from('one\n'), bytes, Buffer.from('end\n')]))).toBe(true);
    await expect(sendInput(kept, request.execId, Readable.from(['late']))).rejects.toMatchObject({
      code: 'failed_precondition',
    });
  });

  it('ends for a writer when the command ends, and is not open without -i', { timeout: 60_000 }, async () => {
    using home = keptSandbox(shell);
    const kept = { sandbox: home.sandbox, key: '' };
    const short = shellRequest('read line; echo "got $line"', { stdin: true });
    await startDetached(kept, short);
    const source = new Readable({ read: () => {} });
    source.push('a line\n');
    await expect(sendInput(kept, short.execId, source)).rejects.toMatchObject({ code: 'failed_precondition' });
    expect((await outputOf(kept, short.execId)).toString()).toBe('got a line\n');
    const without = shellRequest('cat; sleep 1');
    await startDetached(kept, without);
    await expect(sendInput(kept, without.execId, Readable.from(['x']))).rejects.toMatchObject({
      code: 'failed_precondition',
    });
    await expect(sendInput(kept, 'exec_unknown', Readable.from(['x']))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('waits for a process that has hardly begun', { timeout: 60_000 }, async () => {
    using home = keptSandbox(shell);
    const kept = { sandbox: home.sandbox, key: '' };
    const late: Sandbox = {
      ...kept.sandbox,
      exec: async ([program, flag = '', text = '', ...rest], options) => {
        const slow = rest.map((word) => word.replace('trap : HUP INT TERM', 'sleep 1; trap : HUP INT TERM'));
        return await kept.sandbox.exec([program, flag, text, ...slow], options);
      },
    };
    const request = shellRequest('cat', { stdin: true });
    await startDetached({ ...kept, sandbox: late }, request);
    expect(await findProcess(kept, request.execId)).toMatchObject({ state: 'running', inputOpen: true });
    await sendInput(kept, request.execId, Readable.from(['early\n']));
    expect((await outputOf(kept, request.execId)).toString()).toBe('early\n');
  });
});
