/** REST of the toolbox of each sandbox. */
import type {
  Command,
  ExecuteResponse,
  PtyListResponse,
  Session,
  SessionExecuteResponse,
  WorkDirResponse,
} from '@daytona/toolbox-api-client';
import { z } from 'zod';
import { execute } from './execute.ts';
import { changeFiles, download, fileInfo, insidePath, listFiles, upload } from './files.ts';
import type { Record } from './record.ts';
import { ApiError, read, readQuery } from './refuse.ts';
import type { Sandboxes } from './sandboxes.ts';
import { commandInfo, type SessionCommand, type ShellSession } from './shell-session.ts';
import type { Toolbox } from './toolbox.ts';
import { type Call, type Route, route } from './wire.ts';

const path = z.string().min(1).max(4096);
const execution = z.strictObject({
  command: z
    .string()
    .min(1)
    .max(2 ** 20),
  cwd: path.optional(),
  envs: z.record(z.string(), z.string()).optional(),
  timeout: z.number().int().min(0).max(86_400).optional(),
});
const sessionCreation = z.strictObject({ sessionId: z.string().regex(/^[\w.-]{1,100}$/) });
const sessionExecution = z.strictObject({
  command: z
    .string()
    .min(1)
    .max(2 ** 20),
  runAsync: z.boolean().optional(),
  async: z.boolean().optional(),
  suppressInputEcho: z.boolean().optional(),
});
const size = z.number().int().min(1).max(1000);
const resizing = z.strictObject({ rows: size, cols: size });
const downloads = z.strictObject({ paths: z.array(path).min(1).max(100) });
const onePath = z.strictObject({ path });
const octal = z.string().regex(/^[0-7]{3,4}$/);

/** Throws as the proxy in front of a sandbox that does not run. */
export function running(record: Record): Toolbox {
  if (record.state === 'archived') throw new ApiError(404, 'sandbox container not found', { source: 'DAYTONA_PROXY' });
  if (record.state === 'started' && record.box.runs) return record.toolbox;
  throw new ApiError(400, 'bad request: failed to resolve container IP. Is the Sandbox started?', {
    source: 'DAYTONA_PROXY',
  });
}

export function toolboxRoutes(sandboxes: Sandboxes): readonly Route[] {
  /** Each request counts as activity. */
  const at = (
    line: string,
    handle: (toolbox: Toolbox, call: Call) => unknown,
    more: { readonly streams?: true } = {},
  ): Route =>
    route(
      line.replace(' ', ' /toolbox/:sandbox'),
      (call) => {
        const record = sandboxes.find(call.args[0] ?? '');
        const toolbox = running(record);
        sandboxes.touch(record);
        return handle(toolbox, { ...call, args: call.args.slice(1) });
      },
      more,
    );
  return [
    at('GET /work-dir', ({ box }) => ({ dir: box.home }) satisfies WorkDirResponse),
    at('GET /user-home-dir', ({ box }) => ({ dir: box.home }) satisfies WorkDirResponse),
    at(
      'POST /process/execute',
      async ({ box }, { body }) => (await execute(box, read(execution, body))) satisfies ExecuteResponse,
    ),
    ...terminalRoutes(at),
    ...sessionRoutes(at),
    ...fileRoutes(at),
  ];
}

type At = (
  line: string,
  handle: (toolbox: Toolbox, call: Call) => unknown,
  more?: { readonly streams?: true },
) => Route;

function terminalRoutes(at: At): readonly Route[] {
  return [
    at(
      'GET /process/pty',
      ({ terminals }) => ({ sessions: [...terminals.values()].map((each) => each.info()) }) satisfies PtyListResponse,
    ),
    at('GET /process/pty/:id', (toolbox, { args: [id = ''] }) => toolbox.terminal(id).info()),
    at('DELETE /process/pty/:id', (toolbox, { args: [id = ''] }) => {
      toolbox.terminal(id).kill();
      return { message: 'PTY session deleted' };
    }),
    at('POST /process/pty/:id/resize', async (toolbox, { args: [id = ''], body }) => {
      const { rows, cols } = read(resizing, body);
      const terminal = toolbox.terminal(id);
      await terminal.resize(rows, cols);
      return terminal.info();
    }),
  ];
}

function sessionRoutes(at: At): readonly Route[] {
  const session = (toolbox: Toolbox, { args: [id = ''] }: Call): ShellSession => toolbox.session(id);
  const command = (toolbox: Toolbox, call: Call): SessionCommand => session(toolbox, call).command(call.args[1] ?? '');
  return [
    at('POST /process/session', (toolbox, { body }) => toolbox.openSession(read(sessionCreation, body).sessionId)),
    at('GET /process/session', ({ sessions }) => [...sessions.values()].map((each) => each.info()) satisfies Session[]),
    at('GET /process/session/:id', (toolbox, call) => session(toolbox, call).info()),
    at('DELETE /process/session/:id', (toolbox, { args: [id = ''] }) => toolbox.closeSession(id)),
    at('POST /process/session/:id/exec', async (toolbox, call) => {
      const asked = read(sessionExecution, call.body);
      const open = session(toolbox, call);
      const started = open.run(asked.command);
      if (asked.runAsync === true || asked.async === true)
        return { cmdId: started.id } satisfies SessionExecuteResponse;
      return await outcome(open, started);
    }),
    at(
      'GET /process/session/:id/command/:command',
      (toolbox, call) => commandInfo(command(toolbox, call)) satisfies Command,
    ),
    at(
      'GET /process/session/:id/command/:command/logs',
      (toolbox, call) => void call.response.end(Buffer.concat(command(toolbox, call).log)),
    ),
  ];
}

async function outcome(session: ShellSession, command: SessionCommand): Promise<SessionExecuteResponse> {
  while (!command.over) await new Promise((resolve) => session.once('over', resolve));
  const texts = (mark: number): string =>
    command.log
      .filter(([first]) => first === mark)
      .map((piece) => piece.subarray(3).toString('utf8'))
      .join('');
  const [stdout, stderr] = [texts(1), texts(2)];
  return {
    cmdId: command.id,
    output: stdout + stderr,
    stdout,
    stderr,
    ...(command.exitCode === null ? {} : { exitCode: command.exitCode }),
  };
}

function fileRoutes(at: At): readonly Route[] {
  const inside = (toolbox: Toolbox, given: string): string => insidePath(toolbox.box, given);
  return [
    at('POST /files/bulk-upload', ({ box }, { request }) => upload(box, request), { streams: true }),
    at('POST /files/bulk-download', ({ box }, { body, response }) =>
      download(box, read(downloads, body).paths, response),
    ),
    at('GET /files', ({ box }, { query }) =>
      listFiles(box, readQuery(onePath.extend({ depth: z.literal('1').optional() }), query).path),
    ),
    at('GET /files/info', ({ box }, { query }) => fileInfo(box, readQuery(onePath, query).path)),
    at('POST /files/folder', async (toolbox, { query }) => {
      const asked = readQuery(onePath.extend({ mode: octal }), query);
      await changeFiles(toolbox.box, 'folder', [inside(toolbox, asked.path), asked.mode]);
    }),
    at('DELETE /files', async (toolbox, { query }) => {
      const asked = readQuery(onePath.extend({ recursive: z.enum(['true', 'false']).optional() }), query);
      await changeFiles(toolbox.box, 'remove', [inside(toolbox, asked.path), asked.recursive ?? 'false']);
    }),
    at('POST /files/move', async (toolbox, { query }) => {
      const asked = readQuery(z.strictObject({ source: path, destination: path }), query);
      await changeFiles(toolbox.box, 'move', [inside(toolbox, asked.source), inside(toolbox, asked.destination)]);
    }),
    at('POST /files/permissions', async (toolbox, { query }) => {
      const asked = readQuery(onePath.extend({ mode: octal }), query);
      await changeFiles(toolbox.box, 'mode', [inside(toolbox, asked.path), asked.mode]);
    }),
  ];
}
