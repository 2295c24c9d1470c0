/** Commands through a service, as a program with the client sees them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClientWorld, textOf, type ClientWorld } from './world.ts';

let at: ClientWorld;
beforeAll(async () => {
  at = await openClientWorld({ config: 'approvals: {mode: "off"}' });
  await at.client.sandboxes.create({ taskId: 'same' });
});
afterAll(async () => await at[Symbol.asyncDispose]());

const sh = (text: string): readonly [string, ...string[]] => ['sh', '-c', text];

describe('run', () => {
  it('gives the same result as the library, for the same exec', async () => {
    const request = { taskId: 'same', execId: 'exec_same', command: sh('echo out; echo err >&2; exit 3') };
    const ours = await at.client.run(request);
    expect(ours).toMatchObject({
      execId: 'exec_same',
      lostSince: null,
      where: { taskId: 'same', backend: 'local' },
      exit: { reason: 'exited', exitCode: 3 },
      stdout: { text: 'out\n' },
      stderr: { text: 'err\n' },
    });
    expect(await at.world.api.run(request)).toEqual(ours);
  });

  it('keeps head and tail of a large output, as the library does', async () => {
    const request = { taskId: 'same', execId: 'exec_large', command: sh('seq 1 60000') };
    const ours = await at.client.run(request);
    expect(ours.stdout).toMatchObject({ truncated: true, bytes: 348_894 });
    const { text, cutAt, cutTo } = ours.stdout;
    expect(text.length - ((cutTo ?? 0) - (cutAt ?? 0))).toBe(50_000);
    expect((await at.world.api.run(request)).stdout).toEqual(ours.stdout);
  });

  it('makes a sandbox for one command alone where no task is named, and removes it', async () => {
    const { exit, where } = await at.client.run({ command: sh('true') });
    expect(exit.exitCode).toBe(0);
    await expect
      .poll(async () => await at.client.sandboxes.get(where.sandboxId).catch((error) => error.code))
      .toBe('not_found');
  });

  it.each([
    ['a text', 'one\ntwo\n'],
    ['bytes that are no text', Uint8Array.from([255, 0, 254, 10])],
    ['more than a request takes', 'x'.repeat(3_000_000)],
  ])('passes %s on as stdin', async (_what, input) => {
    const { stdout, exit } = await at.client.run({ taskId: 'same', command: sh('wc -c | tr -d " "'), input });
    expect([stdout.text, exit.exitCode]).toEqual([`${input.length}\n`, 0]);
  });

  it('passes a source on as it comes', async () => {
    async function* source() {
      for (const part of ['a', 'b', 'c']) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        yield Buffer.from(part);
      }
    }
    expect((await at.client.run({ taskId: 'same', command: ['cat'], input: source() })).stdout.text).toBe('abc');
  });

  it('runs a program', async () => {
    const code = { language: 'bash', text: 'echo $((6 * 7))' } as const;
    expect((await at.client.run({ taskId: 'same', code })).stdout.text).toBe('42\n');
  });

  it('is canceled by its signal, and says so in its exit', async () => {
    const controller = new AbortController();
    const request = { taskId: 'same', execId: 'exec_aborted', command: sh('sleep 30') };
    const running = at.client.run(request, { signal: controller.signal });
    const state = async () => await at.client.execs.get('exec_aborted').catch(() => null);
    await expect.poll(state, { timeout: 20_000 }).toMatchObject({ exit: null });
    controller.abort();
    expect((await running).exit.reason).toBe('canceled');
    const gone = AbortSignal.abort();
    await expect(at.client.run({ command: ['true'] }, { signal: gone })).rejects.toMatchObject({ code: 'canceled' });
  });

  it('is refused with the error of the library', async () => {
    const request = { taskId: 'same', backend: 'nowhere', command: ['true'] } as const;
    const [ours, theirs] = await Promise.all(
      [at.client, at.world.api].map((api) => api.run(request).catch((error) => error)),
    );
    expect(ours.toJSON()).toEqual(theirs.toJSON());
    await expect(at.client.run({ taskId: 'same', command: ['true'], netwrok: 'none' } as never)).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });
});

describe('exec', () => {
  it('streams stdout and stderr apart, byte by byte', async () => {
    const running = await at.client.exec({
      taskId: 'same',
      command: sh(String.raw`printf '\377\0a'; printf 'b\303\244' >&2`),
    });
    const [out, err, exit] = await Promise.all([
      Array.fromAsync(running.stdout),
      Array.fromAsync(running.stderr),
      running.exit,
    ]);
    expect([Buffer.concat(out).toString('hex'), Buffer.concat(err).toString()]).toEqual(['ff0061', 'bä']);
    expect([exit.exitCode, running.how, running.degraded.length]).toEqual([0, 'found', 4]);
  });

  it('takes stdin while it runs', async () => {
    const running = await at.client.exec({ taskId: 'same', command: ['cat'], stdin: true });
    await running.stdin?.write('one ');
    await running.stdin?.write(Buffer.from('two'));
    await running.stdin?.end();
    expect(await textOf(running.stdout)).toBe('one two');
    expect((await running.exit).exitCode).toBe(0);
    await expect(running.stdin?.write('late')).rejects.toMatchObject({ code: 'failed_precondition' });
  });

  it('has its exit, and keeps memory bounded, while its output is not read; all of it is there later', async () => {
    const running = await at.client.exec({ taskId: 'same', command: sh('seq 1 400000') });
    expect((await running.exit).exitCode).toBe(0);
    const text = await textOf(running.stdout);
    expect([text.length, text.slice(-8)]).toEqual([2_688_895, '\n400000\n']);
  });

  it('ends by cancel, and by its signal', async () => {
    const running = await at.client.exec({ taskId: 'same', command: sh('sleep 30') });
    await running.cancel();
    expect((await running.exit).reason).toBe('canceled');
    const controller = new AbortController();
    const request = { taskId: 'same', command: sh('sleep 30') };
    const other = await at.client.exec(request, { signal: controller.signal });
    controller.abort();
    expect((await other.exit).reason).toBe('canceled');
  });

  it('drops what is ignored', async () => {
    const running = await at.client.exec({ taskId: 'same', command: sh('seq 1 200000 >&2; echo done') });
    running.ignore('stderr');
    expect(await textOf(running.stdout)).toBe('done\n');
    expect((await running.exit).stderr.bytes).toBe(1_288_895);
  });

  it('of a known id gives the same exec and runs nothing', async () => {
    const request = { taskId: 'same', execId: 'exec_once', command: sh('date +%s%N') };
    const texts = [];
    for (let time = 0; time < 2; time++) texts.push(await textOf((await at.client.exec(request)).stdout));
    expect(texts[0]).toBe(texts[1]);
    await expect(at.client.exec({ ...request, command: ['true'] })).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('records', () => {
  it('are read by the id of the exec, and of the task', async () => {
    await at.client.run({ taskId: 'logs', execId: 'exec_logs', command: sh('echo one') });
    expect(await at.client.execs.get('exec_logs')).toMatchObject({ id: 'exec_logs', exit: { exitCode: 0 } });
    const kinds = async (id: string) =>
      (await Array.fromAsync(at.client.execs.logs(id))).map(({ event }) => event.type);
    expect([await kinds('exec_logs'), await kinds('logs')]).toEqual([
      ['started', 'stdout', 'exit'],
      ['started', 'stdout', 'exit'],
    ]);
    expect(await Array.fromAsync(at.client.execs.logs('exec_logs'))).toEqual(
      (await Array.fromAsync(at.world.api.execs.logs('exec_logs'))).map((each) =>
        'bytes' in each.event
          ? { ...each, event: { ...each.event, bytes: Uint8Array.from(each.event.bytes as Uint8Array) } }
          : each,
      ),
    );
    expect((await at.client.execs.list({ task: 'logs' })).items.map(({ id }) => id)).toEqual(['exec_logs']);
    await expect(at.client.execs.get('exec_none')).rejects.toMatchObject({ code: 'not_found' });
    await expect(Array.fromAsync(at.client.execs.logs('nothing-here'))).rejects.toMatchObject({ code: 'not_found' });
  });
});
