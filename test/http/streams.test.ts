/** Events of commands over HTTP: their forms, resuming, readers that are slow or gone. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyLine, linesOf, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ heartbeatMs: 100 });
  await world.ask('/v1/sandboxes', { body: { taskId: 'build' } });
});
afterAll(async () => await world[Symbol.asyncDispose]());

const execs = '/v1/sandboxes/build/execs';
const sh = (text: string, more: object = {}) => ({ body: { command: ['sh', '-c', text], ...more } });

/** What a stream wrote, whatever the encoding of its parts. */
function output(events: readonly Readonly<Record<string, unknown>>[], stream = 'stdout'): Buffer {
  const parts = events.filter(({ type }) => type === stream);
  return Buffer.concat(
    parts.map(({ data, encoding }) => Buffer.from(String(data), encoding === 'base64' ? 'base64' : 'utf8')),
  );
}

const types = (events: readonly Readonly<Record<string, unknown>>[]): readonly unknown[] => [
  ...new Set(events.map(({ type }) => type).filter((type) => type !== 'ping')),
];

describe('a stream', () => {
  it('is NDJSON: started, output of both streams, and the exit at the end', async () => {
    const response = await world.ask(execs, sh('echo out; echo err >&2; exit 3'));
    expect(response.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    const events = await everyLine(response);
    expect([types(events)[0], events.at(-1)?.['type']]).toEqual(['started', 'exit']);
    expect([String(output(events)), String(output(events, 'stderr'))]).toEqual(['out\n', 'err\n']);
    expect(events.at(-1)).toMatchObject({ exit: { reason: 'exited', exitCode: 3 } });
    const seqs = events.filter(({ seq }) => seq !== undefined).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });

  it('is SSE when that is accepted, with seq as the id of each event', async () => {
    const response = await world.ask(execs, { ...sh('printf "a\\nb"'), headers: { accept: 'text/event-stream' } });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const blocks = (await response.text()).split('\n\n').filter((block) => block.startsWith('id: '));
    for (const block of blocks) expect(block).toMatch(/^id: \d+\nevent: [a-z-]+\ndata: \{[^\n]*\}$/);
    expect(blocks.at(-1)).toContain('event: exit');
  });

  it('is one JSON object when that is accepted', async () => {
    const response = await world.ask(execs, {
      ...sh('echo hi; printf "\\033[31m" >&2'),
      headers: { accept: 'application/json' },
    });
    expect(await response.json()).toMatchObject({
      exit: { exitCode: 0 },
      stdout: { text: 'hi\n', containsControl: false },
      stderr: { containsControl: true },
    });
  });

  it('has every byte, also of what is not UTF-8 and of characters cut in two (OH-07, OH-12)', async () => {
    const script = String.raw`printf '\360\237'; sleep 0.1; printf '\230\200\0\377\342\200\250"\\'`;
    const events = await everyLine(await world.ask(execs, sh(script)));
    expect(output(events).toString('hex')).toBe('f09f988000ffe280a8225c');
  });

  it('goes on after a seq, by `after` and by Last-Event-ID, and the larger one counts', async () => {
    const all = await everyLine(
      await world.ask(execs, sh('for i in 1 2 3 4 5; do echo $i; sleep 0.02; done', { execId: 'exec_resume' })),
    );
    const rest = async (query: string, headers: Readonly<Record<string, string>> = {}) =>
      (await everyLine(await world.ask(`${execs}/exec_resume${query}`, { headers }))).filter(
        ({ type }) => type !== 'ping',
      );
    // What is known of it where it was started is not in its record.
    const events = all.filter(({ type }) => type !== 'ping').map(({ placed: _, ...event }) => event);
    expect(all[0]).toMatchObject({ type: 'started', placed: { how: 'found', lostSince: null, missingFiles: [] } });
    expect(await rest('')).toEqual(events);
    expect(await rest('?after=3')).toEqual(events.slice(3));
    expect(await rest('?after=1', { 'last-event-id': '4' })).toEqual(events.slice(4));
    expect(await rest('?after=4', { 'last-event-id': '1' })).toEqual(events.slice(4));
  });

  it('joined twenty times at random points has every event once', async () => {
    const script = 'for i in $(seq 1 40); do echo line-$i; sleep 0.01; done';
    const seen: Readonly<Record<string, unknown>>[] = [];
    const abort = new AbortController();
    const first = await world.ask(execs, { ...sh(script, { execId: 'exec_cut' }), signal: abort.signal });
    for await (const event of linesOf(first)) {
      if (event['type'] !== 'ping') seen.push(event);
      if (seen.length === 3) break;
    }
    abort.abort();
    while (seen.at(-1)?.['type'] !== 'exit') {
      const cut = new AbortController();
      const wanted = 1 + Math.floor(Math.random() * 4);
      const response = await world.ask(`${execs}/exec_cut?after=${String(seen.at(-1)?.['seq'])}`, {
        signal: cut.signal,
      });
      let count = 0;
      for await (const event of linesOf(response)) {
        if (event['type'] === 'ping') continue;
        seen.push(event);
        if (++count === wanted) break;
      }
      cut.abort();
    }
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
    expect(output(seen).toString().trim().split('\n')).toEqual(Array.from({ length: 40 }, (_, n) => `line-${n + 1}`));
  });

  it('sends a heartbeat while nothing comes', async () => {
    const events = await everyLine(await world.ask(execs, sh('sleep 1.5')));
    expect(events.filter(({ type }) => type === 'ping').length).toBeGreaterThan(1);
  });

  it('whose reader is gone does not end the command (API-17)', async () => {
    const abort = new AbortController();
    const response = await world.ask(execs, {
      ...sh('sleep 0.3; echo end', { execId: 'exec_gone' }),
      signal: abort.signal,
    });
    for await (const { type } of linesOf(response)) if (type === 'started') break;
    abort.abort();
    const events = await everyLine(await world.ask(`${execs}/exec_gone`));
    expect(events.at(-1)).toMatchObject({ type: 'exit', exit: { reason: 'exited', exitCode: 0 } });
    expect(output(events).toString()).toBe('end\n');
  });

  it('whose reader has stopped holds neither the command nor memory (API-17, OH-03)', async () => {
    const body = JSON.stringify({
      command: ['sh', '-c', 'head -c 30000000 /dev/zero | tr "\\0" x'],
      execId: 'exec_slow',
    });
    const socket = connect(world.port, '127.0.0.1');
    const head = [`POST ${execs} HTTP/1.1`, `Host: 127.0.0.1:${world.port}`, `Authorization: Bearer ${world.agent}`];
    socket.write([...head, 'Content-Type: application/json', `Content-Length: ${body.length}`, '', body].join('\r\n'));
    // Never read: the socket is paused from the start.
    socket.pause();
    const state = async () =>
      Object(await (await world.ask(`${execs}/exec_slow`, { headers: { accept: 'application/json' } })).json());
    await expect.poll(async () => (await state()).exit?.exitCode, { timeout: 20_000 }).toBe(0);
    socket.destroy();
    expect((await state()).exit.stdout).toMatchObject({ bytes: 30_000_000, complete: true });
  });

  it('of what is not on record is 404, and 410 for a reader that had read it', async () => {
    expect((await world.ask(`${execs}/exec_none`)).status).toBe(404);
    const gone = await world.ask(`${execs}/exec_none?after=7`);
    expect([gone.status, await gone.json()]).toMatchObject([410, { details: { left: null } }]);
  });

  it('of another sandbox is 404', async () => {
    await world.ask('/v1/sandboxes', { body: { taskId: 'other' } });
    await everyLine(await world.ask(execs, sh('true', { execId: 'exec_here' })));
    expect((await world.ask('/v1/sandboxes/other/execs/exec_here')).status).toBe(404);
    expect((await world.ask('/v1/sandboxes/other/execs/exec_here', { method: 'DELETE' })).status).toBe(404);
  });
});

describe('an exec', () => {
  it('repeated with its id runs once, fifty times at once (API-18)', async () => {
    const request = sh(`echo x >> ${world.root}/runs; echo done`, { execId: 'exec_once' });
    const all = await Promise.all(
      Array.from({ length: 50 }, async () => await everyLine(await world.ask(execs, request))),
    );
    const texts = new Set(all.map((events) => output(events).toString()));
    expect([...texts]).toEqual(['done\n']);
    const count = await everyLine(await world.ask(execs, sh(`wc -l < ${world.root}/runs`)));
    expect(output(count).toString().trim()).toBe('1');
  });

  it('is in the audit with the token that asked for it', async () => {
    await everyLine(await world.ask(execs, sh('true', { execId: 'exec_audited' })));
    const records = await everyLine(await world.ask('/v1/audit?count=50'));
    const run = records.find(({ type, execId }) => type === 'run' && execId === 'exec_audited');
    expect(run).toMatchObject({ owner: 'operator', token: expect.stringMatching(/^tok_[a-z0-9]{16}$/) });
  });

  it('with another request under its id is a conflict', async () => {
    await everyLine(await world.ask(execs, sh('true', { execId: 'exec_taken' })));
    expect((await world.ask(execs, sh('false', { execId: 'exec_taken' }))).status).toBe(409);
  });

  it('reads its input, and ends with it (OH-14)', async () => {
    const events = await everyLine(
      await world.ask(execs, { body: { command: ['wc', '-c'], input: 'x'.repeat(100_000) } }),
    );
    expect(output(events).toString().trim()).toBe('100000');
    const closed = await everyLine(
      await world.ask(execs, { body: { command: ['true'], input: 'x'.repeat(1_000_000) } }),
    );
    expect(closed.at(-1)).toMatchObject({ exit: { exitCode: 0 } });
  });

  it('is killed by DELETE, and its stream ends with reason canceled', async () => {
    const response = await world.ask(execs, sh('sleep 100', { execId: 'exec_killed' }));
    const reading = everyLine(response);
    await expect
      .poll(async () => (await world.ask(`${execs}/exec_killed`, { headers: { accept: 'application/json' } })).status)
      .toBe(200);
    expect((await world.ask(`${execs}/exec_killed`, { method: 'DELETE' })).status).toBe(204);
    expect((await reading).at(-1)).toMatchObject({ exit: { reason: 'canceled' } });
  });

  it('in a sandbox that there is not is 404, before any stream', async () => {
    expect((await world.ask('/v1/sandboxes/none/execs', sh('true'))).status).toBe(404);
  });

  it('of a type that no answer has is 406', async () => {
    expect((await world.ask(execs, { ...sh('true'), headers: { accept: 'image/png' } })).status).toBe(406);
  });
});
