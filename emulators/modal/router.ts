/** The task command router: commands of a running sandbox, their streams and ends, snapshots of its files, and its network. */
import type { handleClientStreamingCall, ServerReadableStream, UntypedServiceImplementation } from '@grpc/grpc-js';
import { type Calls, toAnswer } from './calls.ts';
import type { Service } from './service.ts';
import { envOf } from './definition.ts';
import type { Exec, ExecWanted } from './exec.ts';
import type * as M from './messages.ts';
import { changedNetwork } from './network.ts';
import { need, Refusal } from './refuse.ts';

export function router(service: Service, calls: Calls): UntypedServiceImplementation {
  const { sandboxes } = service;
  const execOf = async ({ taskId, execId }: M.ExecById): Promise<Exec> => await sandboxes.ofTask(taskId).exec(execId);
  return {
    TaskExecStart: calls.unary('TaskExecStart', async (request: M.ExecStart) => {
      const env = envOf(request.secretSources, service.secrets);
      await sandboxes.ofTask(request.taskId).start(need(request.execId, 'exec_id'), wantedOf(request, env));
      return {};
    }),
    TaskExecStdioRead: calls.stream('TaskExecStdioRead', async function* (request: M.StdioRead, signal: AbortSignal) {
      const exec = await execOf(request);
      const spool = request.fileDescriptor === 0 ? exec.stdout : exec.stderr;
      for await (const data of spool.read(request.offset, signal)) yield { data };
    }),
    TaskExecStdinWrite: calls.unary('TaskExecStdinWrite', async (request: M.StdinWrite) => {
      const exec = await execOf(request);
      if (request.data.length > 0) await exec.write(request.offset, request.data);
      if (request.eof) await exec.closeStdin();
      return {};
    }),
    TaskExecStdinWriteStream: stdinStream(execOf, calls),
    TaskExecStdinStatus: calls.unary(
      'TaskExecStdinStatus',
      async (request: M.ExecById) => (await execOf(request)).status,
    ),
    TaskExecPoll: calls.unary('TaskExecPoll', async (request: M.ExecById) => {
      const exec = await execOf(request);
      return exec.running ? {} : await exec.end;
    }),
    TaskExecWait: calls.unary('TaskExecWait', async (request: M.ExecById) => await (await execOf(request)).end),
    TaskSetNetworkAccess: calls.unary('TaskSetNetworkAccess', async ({ taskId, networkAccess }: M.NetworkChange) => {
      const sandbox = sandboxes.ofTask(taskId);
      sandbox.network = changedNetwork(sandbox.network, networkAccess);
      return {};
    }),
    TaskSnapshotFilesystem: calls.unary('TaskSnapshotFilesystem', async (request: M.FilesystemSnapshot) => {
      const { taskId, snapshotId, ttlSeconds } = request;
      const sandbox = sandboxes.ofTask(taskId);
      return { imageId: await sandbox.snapshot(need(snapshotId, 'snapshot_id'), ttlSeconds ?? null) };
    }),
  };
}

function wantedOf(request: M.ExecStart, env: Readonly<Record<string, string>>): ExecWanted {
  const { commandArgs, stdoutConfig, stderrConfig, timeoutSecs = 0, workdir, ptyInfo } = request;
  if (commandArgs.length === 0) throw new Refusal('INVALID_ARGUMENT', 'command_args is required');
  return {
    command: commandArgs,
    env,
    workdir: workdir === undefined || workdir === '' ? null : workdir,
    terminal: ptyInfo?.enabled === true ? { rows: ptyInfo.winszRows, columns: ptyInfo.winszCols } : null,
    discard: { stdout: stdoutConfig === 0, stderr: stderrConfig === 0 },
    timeoutMs: timeoutSecs === 0 ? null : timeoutSecs * 1000,
  };
}

type PartStream = ServerReadableStream<unknown, unknown>;

function stdinStream(
  execOf: (id: M.ExecById) => Promise<Exec>,
  calls: Calls,
): handleClientStreamingCall<unknown, unknown> {
  return (call, answer) => {
    takeParts(call).then(
      () => answer(null, {}),
      (error: unknown) => answer(toAnswer(error)),
    );
  };

  async function takeParts(call: PartStream): Promise<void> {
    let to: { readonly exec: Exec; offset: number } | null = null;
    for await (const part of call as AsyncIterable<M.StdinPart>) {
      if (part.start !== undefined) {
        calls.begin('TaskExecStdinWriteStream', call.metadata, part.start);
        to = { exec: await execOf(part.start), offset: part.start.offset };
      } else if (to === null) throw new Refusal('INVALID_ARGUMENT', 'the first part is the start');
      else if (part.data !== undefined) {
        await to.exec.write(to.offset, part.data);
        to.offset += part.data.length;
      } else await to.exec.closeStdin();
    }
  }
}
