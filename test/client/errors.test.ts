import { describe, expect, it } from 'vitest';
import { CaissonError, codes, type Code } from '../../src/errors.ts';
import { connectCaisson } from '../../src/client/index.ts';
import { delayOf, Patience } from '../../src/client/wire/patience.ts';
import { responseError } from '../../src/client/wire/problem.ts';
import type { Transport, WireRequest } from '../../src/client/transport.ts';
import { problemOf } from '../../src/http/problems.ts';

const codeNames = Object.keys(codes).filter((code): code is Code => code in codes && code !== 'internal');

describe('an error of the service', () => {
  it.each(codeNames)('is thrown as the library throws it: %s', (code) => {
    const error = new CaissonError(code, 'what is wrong', { details: { at: 'here' }, remedy: 'do this' });
    const problem = problemOf(error, 'req-1');
    const ours = responseError(problem.status, JSON.stringify(problem));
    expect(ours).toBeInstanceOf(CaissonError);
    expect(ours.toJSON()).toEqual(error.toJSON());
    expect(ours.cause).toMatchObject({ message: `the service answered: status ${problem.status}, request req-1` });
  });

  it.each([
    [502, '<html>bad gateway</html>', 'unavailable'],
    [404, 'null', 'not_found'],
    [418, '{"code":"teapot"}', 'internal'],
    [200, '{"code":"__proto__"}', 'internal'],
  ])('of something else, with status %i, has a code and none of its words', (status, text, code) => {
    expect(responseError(status, text)).toMatchObject({ code, message: expect.not.stringContaining('html') });
  });

  it('is bounded, whatever comes', () => {
    const error = responseError(
      404,
      JSON.stringify({ code: 'not_found', detail: 'x'.repeat(1_000_000), remediation: 7 }),
    );
    expect([error.message.length, error.remedy]).toEqual([16_384, null]);
  });
});

/** Answers each request by the next of these. */
function scripted(answers: readonly (() => object)[]): {
  readonly transport: Transport;
  readonly asked: WireRequest[];
} {
  const asked: WireRequest[] = [];
  const transport: Transport = {
    request: async (request) => {
      asked.push(request);
      const answer = answers[asked.length - 1]?.() ?? expect.unreachable();
      if (answer instanceof Error) throw answer;
      const { status = 200, body = answer, headers = {} } = answer as { status?: number; body?: unknown; headers?: {} };
      const bytes = Buffer.from(JSON.stringify(body));
      return await Promise.resolve({
        status,
        headers,
        body: (async function* () {
          yield await Promise.resolve(bytes);
        })(),
      });
    },
    open: () => expect.unreachable(),
    close: async () => await Promise.resolve(),
  };
  return { transport, asked };
}

const lost = (sent: boolean) => () => new CaissonError('unavailable', 'gone', { details: { sent } });
const none = { items: [], nextCursor: null };
const stops = () => ({
  status: 503,
  headers: { 'retry-after': '5' },
  body: { code: 'unavailable', detail: 'the service stops' },
});
const down = () => ({ status: 503, body: { code: 'unavailable', detail: 'the engine is down' } });

describe('a lost connection', () => {
  const connect = (answers: readonly (() => object)[], resumeMs = 5000) => {
    const { transport, asked } = scripted(answers);
    return { asked, client: connectCaisson({ token: 't', transport, resumeMs }) };
  };

  it('has a GET sent again, until its time is over', async () => {
    const good = connect([lost(true), stops, () => none]);
    expect(await good.client.sandboxes.list()).toEqual(none);
    expect(good.asked.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
    const bad = connect([lost(true)], 0);
    await expect(bad.client.sandboxes.list()).rejects.toMatchObject({ code: 'unavailable', message: 'gone' });
  });

  it('has nothing sent again that might be done twice, but what surely was not seen', async () => {
    const { client, asked } = connect([lost(false), lost(true)]);
    await expect(client.tokens.create({ name: 'x', scopes: ['run'] }, '')).rejects.toMatchObject({ message: 'gone' });
    expect(asked.length).toBe(2);
  });

  it('is another thing than a place that is down, which is said at once', async () => {
    const { client, asked } = connect([down]);
    await expect(client.sandboxes.stats('x')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the engine is down',
    });
    expect(asked.length).toBe(1);
  });

  it('has every try of an exec carry the same id', async () => {
    const { client, asked } = connect([lost(true), () => ({ status: 404, body: { code: 'not_found' } })]);
    await expect(client.run({ taskId: 'x', command: ['true'] })).rejects.toMatchObject({ code: 'not_found' });
    const ids = asked.map(({ body }) => typeof body === 'string' && JSON.parse(body).execId);
    expect([ids[0], ids.length]).toEqual([ids[1], 2]);
    expect(ids[0]).toMatch(/^exec_[0-9a-f]{32}$/);
  });
});

describe('an answer', () => {
  it.each([
    ['a list', { items: 'none', nextCursor: null }],
    ['an item', { items: [{ id: 7 }], nextCursor: null }],
    ['a page', '<html>'],
  ])('of another form is an error with a name, and no TypeError: %s', async (_what, body) => {
    const { transport } = scripted([() => ({ body })]);
    const client = connectCaisson({ token: 't', transport });
    await expect(client.sandboxes.list()).rejects.toMatchObject({ code: 'internal', name: 'CaissonError' });
  });
});

describe('a client', () => {
  it.each([
    [{ url: 'ftp://x', token: 't' }],
    [{ url: 'http://user:secret@x', token: 't' }],
    [{ url: 'http://x', token: '' }],
    [{ url: 'http://x', token: 'a b' }],
    [{ token: 't' }],
    [{ url: 'http://x', token: 't', resumeMs: -1 }],
  ])('is not made from %j, and the error holds no secret', (input) => {
    const wanted = { code: 'invalid_argument', message: expect.not.stringContaining('secret') };
    expect(() => connectCaisson(input)).toThrow(expect.objectContaining(wanted));
  });

  it('that is closed asks nothing more', async () => {
    const { transport } = scripted([]);
    const client = connectCaisson({ token: 't', transport });
    await client.close();
    await expect(client.sandboxes.list()).rejects.toMatchObject({ code: 'canceled' });
  });

  it('throws not_supported, with the reason, where no route leads', async () => {
    const client = connectCaisson({ token: 't', transport: scripted([]).transport });
    const input = { task: 'x', source: '/a', target: '/b' };
    await expect(client.files.copyIn(input)).rejects.toMatchObject({ code: 'not_supported' });
    expect(() => client.secrets.redactor()).toThrow('not reached through a service');
  });

  it('takes no name that would be another path', async () => {
    const client = connectCaisson({ token: 't', transport: scripted([]).transport });
    for (const name of ['', '..', '.'])
      await expect(client.sandboxes.get(name)).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(client.execs.get('../tokens')).rejects.toMatchObject({ code: 'invalid_argument' });
    const { transport, asked } = scripted([() => ({ status: 404, body: {} })]);
    await connectCaisson({ token: 't', transport })
      .sandboxes.get('a/../b')
      .catch(() => undefined);
    expect(asked[0]?.path).toBe('/v1/sandboxes/a%2F..%2Fb');
  });
});

describe('patience', () => {
  it('doubles the time between attempts, up to two seconds', () => {
    expect([0, 1, 2, 3, 4, 5, 50].map((failures) => delayOf(failures, 0))).toEqual([
      100, 200, 400, 800, 1600, 2000, 2000,
    ]);
    expect(delayOf(5, 1)).toBe(1000);
  });

  it('ends with what went wrong, or with the signal', async () => {
    const error = new Error('lost');
    await expect(new Patience(0).wait(error, undefined)).rejects.toBe(error);
    await expect(new Patience(60_000).wait(error, AbortSignal.timeout(50))).rejects.toMatchObject({
      code: 'timed_out',
    });
  });
});
