import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Editor } from '../../src/acp/editor.ts';
import { type Message, messageIn, MessageWriter } from '../../src/lib/message-lines.ts';

function made(timeoutMs: number) {
  const stream = new PassThrough();
  const editor = new Editor(new MessageWriter(stream), timeoutMs);
  const sent = (): readonly Message[] =>
    String(stream.read() ?? '')
      .split('\n')
      .map(messageIn)
      .filter((message) => message !== null);
  const ask = () => editor.ask({ sessionId: 's', toolCall: { toolCallId: 'x' }, options: [] });
  return { editor, sent, ask };
}

const selected = (id: unknown) => ({ id, result: { outcome: { outcome: 'selected', optionId: 'allow_once' } } });

describe('an editor', () => {
  it('that has been silent at its first question is not asked again', async () => {
    const { editor, ask, sent } = made(5);
    expect(await ask()).toEqual({ kind: 'silent' });
    expect(editor.canAsk).toBe(false);
    expect(sent()).toHaveLength(1);
    expect(await ask()).toEqual({ kind: 'unable' });
    expect(sent()).toEqual([]);
  });

  it('that has answered before is asked again after a silence: its user was away', async () => {
    const { editor, ask, sent } = made(200);
    const answered = ask();
    expect(editor.take(selected(sent()[0]?.['id']))).toBe(true);
    expect(await answered).toEqual({ kind: 'selected', optionId: 'allow_once' });
    expect(await ask()).toEqual({ kind: 'silent' });
    expect(editor.canAsk).toBe(true);
  });

  it('that answers too late is heard by no one, and only once', async () => {
    const { editor } = made(5);
    expect(await editor.awaited(7, 's')).toEqual({ kind: 'silent' });
    expect([editor.take(selected(7)), editor.take(selected(7))]).toEqual([true, false]);
  });

  it('answers only what was asked: ids of Caisson cannot be guessed, and those of others are not its own', async () => {
    const { editor, ask, sent } = made(1000);
    const asked = ask();
    const [question] = sent();
    expect(String(question?.['id'])).toMatch(/^caisson-[0-9a-f]{18}-1$/);
    expect([editor.isOwn(question?.['id']), editor.isOwn('caisson-1'), editor.isOwn(1)]).toEqual([true, false, false]);
    expect(editor.take(selected('caisson-1'))).toBe(false);
    editor.cancel('another session');
    editor.cancel('s');
    expect(await asked).toEqual({ kind: 'cancelled' });
    expect(editor.canAsk).toBe(true);
  });

  it('that goes away has cancelled everything', async () => {
    const { editor, ask } = made(1000);
    const asked = ask();
    editor.close();
    expect(await asked).toEqual({ kind: 'cancelled' });
    expect(await ask()).toEqual({ kind: 'unable' });
  });
});
