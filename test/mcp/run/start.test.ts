import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { CaissonError } from '../../../src/errors.ts';
import { startFailed } from '../../../src/exec/start.ts';
import { runServer, type ServerApi } from '../../../src/mcp/run/serve.ts';
import { notStarted, saysSilence, started } from '../../../src/mcp/run/start.ts';
import type { Running } from '../../../src/service/api.ts';

const sealed = (stderr: string): Awaited<ReturnType<ServerApi['exec']>> => ({
  stdin: null,
  stdout: Readable.from([]),
  cancel: () => Promise.resolve(),
  stderr: Readable.from([Buffer.from(stderr)]),
  exit: Promise.resolve({
    ...startFailed(new CaissonError('unavailable', 'x')),
    reason: 'exited',
    exitCode: 2,
    notes: ['it had no process'],
  }),
  where: { taskId: 'mcp-x', sandboxId: 'sbx_1', backend: 'docker', host: 'h', resource: 'r', recreated: false },
});

it('a server that ended before it could read is an error with its exit, its notes and its words, without secrets', async () => {
  const error = await notStarted('x', sealed("sh: can't fork secret\n"), (text) => text.replaceAll('secret', '***'));
  expect(error).toMatchObject({
    code: 'unavailable',
    message: "the MCP server x ended before it could read (exit code 2): it had no process; sh: can't fork ***",
    remedy: expect.stringContaining('container_pids'),
  });
});

it('the run of such a server rejects with that error, and leaves no timer that would hold its process', async () => {
  const request = { taskId: 'mcp-x' };
  const api: ServerApi = {
    mcpServers: {
      inside: () => Promise.resolve({ request, command: ['srv'], env: {}, shares: false }),
      admit: () => Promise.resolve(),
    },
    exec: () => Promise.resolve(sealed("can't fork")),
    secrets: { redactor: () => ({ write: (chunk: Buffer) => [chunk], end: () => [] }) },
  };
  const host = { input: new PassThrough(), output: new PassThrough(), log: new PassThrough(), say: () => undefined };
  const before = process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
  const running = runServer(api, { name: 'x' }, host, {});
  await expect(running).rejects.toMatchObject({ code: 'unavailable' });
  expect(process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length).toBe(before);
});

it('a start without an end is given up, and its signal fires', async () => {
  let signal: AbortSignal | undefined;
  const start = (options: { readonly signal?: AbortSignal }): Promise<Running> => {
    signal = options.signal;
    return new Promise(() => undefined);
  };
  const error = { code: 'timed_out', message: 'the MCP server x was not started in 0.02 s' };
  await expect(started('x', start, {}, 20)).rejects.toMatchObject(error);
  expect(signal?.aborted).toBe(true);
});

it('a server that says nothing is spoken of once, and one that answers is not', async () => {
  const said: string[] = [];
  const [silent, heard] = [
    saysSilence('a', (text) => said.push(text), 10),
    saysSilence('b', (text) => said.push(text), 10),
  ];
  heard();
  await expect.poll(() => said.length).toBe(1);
  expect(said[0]).toContain('the MCP server a has not answered for 0.01 s');
  silent();
});
