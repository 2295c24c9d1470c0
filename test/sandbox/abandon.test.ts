/** A sandbox whose host does not answer: nothing is made beside it, and the operator alone gives it up. */
import { describe, expect, it } from 'vitest';
import { abandonSandbox } from '../../src/sandbox/abandon.ts';
import { acquire } from '../../src/sandbox/acquire.ts';
import type { Context } from '../../src/sandbox/context.ts';
import { removeSandbox } from '../../src/sandbox/end.ts';
import { inspectSandbox } from '../../src/sandbox/inspect.ts';
import { forgetLive } from '../../src/sandbox/live.ts';
import { afresh, plan } from './service.ts';

const { at, service } = afresh();

/** A sandbox of the task `demo` that this process does not hold, as after a restart of the service. */
async function silent(facets: { readonly power?: boolean } = {}): Promise<Context> {
  const context = await service({}, { abandon: true, ...facets });
  const { row } = await acquire(context, await plan(context), {});
  forgetLive(context, row.id);
  for (const resource of at.place.resources.values()) resource.state = 'unresponsive';
  return context;
}

const states = async (context: Context): Promise<readonly string[]> =>
  (await context.store.sandboxes.list({ limit: 10 })).map(({ state }) => state);
const abandoned = async (context: Context): Promise<readonly unknown[]> =>
  (await Array.fromAsync(context.audit.tail({ count: 50, follow: false }))).filter(({ type }) => type === 'abandon');

describe('a sandbox whose host does not answer', () => {
  it('fails new commands, and is neither started, replaced nor removed', async () => {
    const context = await silent();
    const [before, calls] = [[...at.place.resources.values()], at.place.calls.length];
    await expect(acquire(context, await plan(context), {})).rejects.toMatchObject({
      code: 'unavailable',
      details: { taskId: 'demo', state: 'unresponsive' },
      remedy: expect.stringContaining('caisson gc --force demo'),
    });
    expect(await inspectSandbox(context, 'demo', {})).toMatchObject({ resource: 'unresponsive', state: 'ready' });
    expect([...at.place.resources.values()]).toEqual(before);
    for (const call of at.place.calls.slice(calls)) expect(['attach', 'guarantees', 'list']).toContain(call);
  });

  it('goes on as it was when its host comes back', async () => {
    const context = await silent();
    await expect(acquire(context, await plan(context), {})).rejects.toMatchObject({ code: 'unavailable' });
    for (const resource of at.place.resources.values()) resource.state = 'running';
    expect(await acquire(context, await plan(context), {})).toMatchObject({ how: 'found' });
  });

  it('is only looked at by a dry run', async () => {
    const context = await silent();
    expect(await abandonSandbox(context, 'demo', { dryRun: true })).toMatchObject({ taskId: 'demo', state: 'ready' });
    expect([await states(context), await abandoned(context)]).toEqual([['ready'], []]);
    expect(at.place.calls).not.toContain('abandon');
  });

  it('is stopped when it is given up, on record, and starts with the next command', async () => {
    const context = await silent();
    await abandonSandbox(context, 'demo', { dryRun: false });
    expect(await states(context)).toEqual(['stopped']);
    expect(await abandoned(context)).toMatchObject([{ taskId: 'demo', backend: 'fake' }]);
    expect(await acquire(context, await plan(context), {})).toMatchObject({ how: 'started' });
  });

  it('is removed when it is given up and cannot be stopped', async () => {
    const context = await silent({ power: false });
    await abandonSandbox(context, 'demo', { dryRun: false });
    expect([await states(context), at.place.resources.size]).toEqual([[], 0]);
  });

  it('is removed when it is given up after a removal that did not come to its end', async () => {
    const context = await silent();
    at.place.fail({ on: 'destroy', error: 'unavailable' });
    await expect(removeSandbox(context, 'demo', { keepFiles: false })).rejects.toMatchObject({ code: 'unavailable' });
    await abandonSandbox(context, 'demo', { dryRun: false });
    expect([await states(context), at.place.resources.size]).toEqual([[], 0]);
  });

  it('stays on record when it cannot be given up', async () => {
    const context = await silent();
    at.place.fail({ on: 'abandon', error: 'unavailable' });
    await expect(abandonSandbox(context, 'demo', { dryRun: false })).rejects.toMatchObject({ code: 'unavailable' });
    expect(await states(context)).toEqual(['ready']);
  });
});

it.each(['running', 'stopped'] as const)('one that is %s is not given up', async (state) => {
  const context = await silent();
  for (const resource of at.place.resources.values()) resource.state = state;
  await expect(abandonSandbox(context, 'demo', { dryRun: false })).rejects.toMatchObject({
    code: 'failed_precondition',
    details: { state },
    remedy: expect.stringContaining('caisson rm demo'),
  });
  expect([await states(context), await abandoned(context)]).toEqual([['ready'], []]);
});
