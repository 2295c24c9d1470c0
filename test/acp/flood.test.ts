/** Agents that send more than they read: their memory is their own, and not that of Caisson. */
import { PassThrough, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { Answers } from '../../src/acp/answers.ts';
import { Asking } from '../../src/acp/asked.ts';
import { Bridge } from '../../src/acp/bridge.ts';
import { Editor } from '../../src/acp/editor.ts';
import { Files } from '../../src/acp/files.ts';
import { Terminals } from '../../src/acp/terminals.ts';
import type { Workplace } from '../../src/acp/types.ts';
import { MessageWriter } from '../../src/lib/message-lines.ts';
import type { CaissonApi } from '../../src/service/api.ts';

/** Sandboxes never answer. */
const never: CaissonApi = new Proxy(Object.create(null), {
  get: () => new Proxy({}, { get: () => async () => await new Promise(() => undefined) }),
});
const place: Workplace = { api: never, taskId: 'build', project: '/project' };

function made(agent: Writable) {
  const host = new PassThrough();
  const [toEditor, toAgent] = [new MessageWriter(host.resume()), new MessageWriter(agent)];
  const editor = new Editor(toEditor, 60_000);
  const terminals = new Terminals(place);
  const files = new Files(place, editor, { edits: 'ask', timeoutMs: 60_000 });
  const answers = new Answers({ agent: toAgent, asking: new Asking(), files, terminals });
  const { project } = place;
  return {
    editor,
    bridge: new Bridge({ toEditor, toAgent, editor, answers, project, textOf: () => null, sync: null }),
  };
}

const soon = async <T>(work: Promise<T>): Promise<boolean> =>
  await Promise.race([work.then(() => true), new Promise<false>((done) => setTimeout(() => done(false), 100))]);

it('an agent that does not read its answers is not read from either', async () => {
  const deaf = new Writable({ highWaterMark: 16 * 1024, write: () => undefined });
  const { bridge } = made(deaf);
  const open = { jsonrpc: '2.0', id: 1, method: 'session/load', params: { sessionId: 's', cwd: '/project' } };
  // The agent takes no message, so that this one is never written to the end.
  void bridge.fromEditor(open);
  const params = { sessionId: 's', path: '/project/a' };
  let sent = 0;
  while (
    sent < 2000 &&
    (await soon(bridge.fromAgent({ jsonrpc: '2.0', id: sent, method: 'fs/read_text_file', params })))
  )
    sent += 1;
  expect(sent).toBeLessThan(500);
  expect(deaf.writableLength).toBeLessThan(32 * 1024);
});

it('an agent has a bounded number of questions open, and none twice under one id', async () => {
  const agent = new PassThrough();
  const { bridge, editor } = made(agent);
  const options = [{ optionId: 'no', kind: 'reject_once', name: 'No' }];
  const ask = async (id: number) =>
    await bridge.fromAgent({
      jsonrpc: '2.0',
      id,
      method: 'session/request_permission',
      params: { sessionId: 's', options },
    });
  await ask(0);
  await ask(0);
  const refusal = { jsonrpc: '2.0', id: 0, result: { outcome: { outcome: 'selected', optionId: 'no' } } };
  expect(JSON.parse(String(agent.read()))).toEqual(refusal);
  for (let id = 1; id < 300; id += 1) await ask(id);
  const refused = String(agent.read()).trim().split('\n');
  expect(refused).toHaveLength(300 - 256);
  editor.close();
});
