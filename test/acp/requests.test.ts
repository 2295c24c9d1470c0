/** An agent that answers what it was not asked, and names what the editor does not have. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Answers } from '../../src/acp/answers.ts';
import { Asking } from '../../src/acp/asked.ts';
import { Bridge } from '../../src/acp/bridge.ts';
import { Editor } from '../../src/acp/editor.ts';
import { Files } from '../../src/acp/files.ts';
import { isMethod } from '../../src/acp/requests.ts';
import { Terminals } from '../../src/acp/terminals.ts';
import { MessageWriter } from '../../src/lib/message-lines.ts';
import type { CaissonApi } from '../../src/service/api.ts';

/** Each call of a sandbox fails with its name. */
const place = {
  api: new Proxy<CaissonApi>(Object.create(null), {
    get: () => new Proxy({}, { get: (_, verb) => async () => await Promise.reject(new Error(String(verb))) }),
  }),
  taskId: 'build',
  project: '/project',
};

function made() {
  const [editorSide, agentSide] = [new PassThrough(), new PassThrough()];
  const [toEditor, toAgent] = [new MessageWriter(editorSide), new MessageWriter(agentSide)];
  const editor = new Editor(toEditor, 60_000);
  const files = new Files(place, editor, { edits: 'ask', timeoutMs: 60_000 });
  const answers = new Answers({ agent: toAgent, asking: new Asking(), files, terminals: new Terminals(place) });
  const { project } = place;
  const bridge = new Bridge({ toEditor, toAgent, editor, answers, project, textOf: () => null, sync: null });
  const read = (side: PassThrough) => {
    const lines = String(side.read() ?? '')
      .split('\n')
      .filter(Boolean);
    return lines.map((line): unknown => JSON.parse(line));
  };
  return {
    fromEditor: async (message: object) => await bridge.fromEditor({ jsonrpc: '2.0', ...message }),
    fromAgent: async (message: object) => await bridge.fromAgent({ jsonrpc: '2.0', ...message }),
    editorGot: () => read(editorSide),
    agentGot: () => read(agentSide),
  };
}

const settled = async () => await new Promise((resolve) => setImmediate(resolve));
const opens = { id: 2, method: 'session/new', params: { cwd: '/project', mcpServers: [] } };
const opened = { jsonrpc: '2.0', id: 2, result: { sessionId: 's1' } };

describe('an answer of an agent', () => {
  it('reaches the editor once, and not without a request that waits for it', async () => {
    const { fromEditor, fromAgent, editorGot } = made();
    await fromAgent(opened);
    expect(editorGot()).toEqual([]);
    await fromEditor(opens);
    await fromAgent({ ...opened, id: '2' });
    expect(editorGot()).toEqual([]);
    await fromAgent(opened);
    expect(editorGot()).toEqual([opened]);
    await fromAgent({ ...opened, result: { forged: true } });
    await fromAgent({ id: 3, error: { code: 1, message: 'x' } });
    expect(editorGot()).toEqual([]);
  });
});

describe('a request of an agent', () => {
  it.each(['fs/read_text_file', 'terminal/create'])(
    '%s is for a session that the editor has, and no other',
    async (method) => {
      const { fromEditor, fromAgent, agentGot } = made();
      const asks = async (sessionId: unknown) => {
        await fromAgent({ id: 9, method, params: { sessionId, path: '/project/a', command: 'true' } });
        await settled();
        return agentGot();
      };
      expect(await asks('s1')).toMatchObject([
        { error: { code: -32_602, message: expect.stringMatching('session of the editor') } },
      ]);
      await fromEditor(opens);
      await fromAgent(opened);
      agentGot();
      expect(await asks('s1')).toMatchObject([
        { id: 9, error: { message: expect.not.stringMatching('session of the editor') } },
      ]);
      for (const other of ['nope', '__proto__', 1, null])
        expect(await asks(other)).toMatchObject([
          { error: { message: expect.stringMatching('session of the editor') } },
        ]);
      await fromEditor({ id: 4, method: 'session/load', params: { sessionId: 'old', cwd: '/project' } });
      agentGot();
      expect(await asks('old')).toMatchObject([
        { error: { message: expect.not.stringMatching('session of the editor') } },
      ]);
    },
  );

  it('with a name that the protocol cannot form is answered here, and a notification is dropped', async () => {
    const { fromAgent, editorGot, agentGot } = made();
    for (const method of ['__proto__', 'constructor', '', 'session/', '\u202etxt/x']) {
      await fromAgent({ id: 5, method, params: {} });
      expect(agentGot()).toMatchObject([{ id: 5, error: { code: -32_601 } }]);
      await fromAgent({ method, params: {} });
      expect([...agentGot(), ...editorGot()]).toEqual([]);
    }
  });

  it('of the protocol or of an extension passes', () => {
    const names = [
      'session/update',
      'session/request_permission',
      '$/cancel_request',
      'elicitation/create',
      '_zed.dev/buffers',
      '_ping',
    ];
    expect(names.filter((name) => !isMethod(name))).toEqual([]);
  });
});
