/** A place that promises to give no network, and gives one. */
import { describe, expect, it } from 'vitest';
import type { Spec } from '../../src/backend.ts';
import { acquire } from '../../src/sandbox/acquire.ts';
import { stopSandbox } from '../../src/sandbox/end.ts';
import type { FakeOptions } from '../fixtures/fake-backend/backend.ts';
import { measured } from '../../src/sandbox/measure.ts';
import { parseEffective } from '../../src/sandbox/effective.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { Context } from '../../src/sandbox/context.ts';
import { placedMode } from '../../src/values/network-modes.ts';
import { noWayOut } from './no-way-out.ts';
import { afresh, plan } from './service.ts';

const none = 'Iface\tDestination\nlo\t00000000\n== routes6\n0 0 0 lo\n';
const routed = 'Iface\tDestination\neth0\t00000000\n== routes6\n0 0 0 lo\n';
const routed6 = 'Iface\tDestination\n== routes6\n0 0 0 lo\n0 0 0 eth0\n';
const probeText = (routes: string): string =>
  `== caisson probe\nuid=0\n== network\neth0: 1\n== routes\n${routes}== end\n`;

describe('a sandbox that is to have no network', () => {
  const { at, service } = afresh();

  /** A place whose sandboxes say this when they are measured. */
  const measuring = (say: () => string, more = {}, facets: FakeOptions['facets'] = {}): Promise<Context> =>
    service({ network: ['open', 'none'], ...more }, facets, {
      sh: ({ stdout }) => {
        stdout.write(probeText(say()));
        return 0;
      },
    });

  async function wanted(context: Context, network: Spec['network']): Promise<Plan> {
    const asked = await plan(context);
    const spec = { ...asked.spec, network };
    return { ...asked, spec, placed: { ...spec, network: placedMode(network) } };
  }

  it.each([
    ['IPv4', routed],
    ['IPv6', routed6],
  ])('is ended before its first command when it has a route by %s', async (_by, text) => {
    const context = await measuring(() => text);
    await expect(acquire(context, await wanted(context, 'none'), {})).rejects.toMatchObject({
      code: 'not_supported',
      details: { interfaces: 'eth0', taskId: 'demo' },
    });
    expect([await context.store.sandboxes.list({ limit: 1000 }), at.place.resources.size]).toEqual([[], 0]);
  });

  it.each(['filtered', 'observe'] as const)('but one door is ended too when it has a route (%s)', async (network) => {
    const context = await measuring(() => routed, { network: ['open', 'filtered', 'none'] });
    const opened: string[] = [];
    const wayOut = noWayOut(context.backend, {
      open: async ({ id }) => `${opened.push(id)}`,
      close: async () => undefined,
    });
    const asked = await wanted(context, network);
    await expect(acquire({ ...context, wayOut }, asked, {})).rejects.toMatchObject({ code: 'not_supported' });
    expect([opened.length, await context.store.sandboxes.list({ limit: 1000 }), at.place.resources.size]).toEqual([
      1,
      [],
      0,
    ]);
  });

  it('is stopped when it has one after a start', async () => {
    let text = none;
    const context = await measuring(() => text);
    const asked = await wanted(context, 'none');
    const { row } = await acquire(context, asked, {});
    expect((await context.store.sandboxes.find(row.id))?.effective).toMatchObject({ routed: false });
    await stopSandbox(context, 'demo', {});
    text = routed;
    await expect(acquire(context, asked, {})).rejects.toMatchObject({ code: 'not_supported' });
    expect(at.place.resources.get(row.id)?.state).toBe('stopped');
  });

  it('is left to its backend where packets are dropped outside, and where nothing can be measured', async () => {
    const filtering = await measuring(() => routed, { noneBy: 'filter' });
    expect((await acquire(filtering, await wanted(filtering, 'none'), {})).how).toBe('created');
    const silent = await measuring(() => 'nothing that parses');
    expect((await acquire(silent, { ...(await wanted(silent, 'none')), taskId: 'other' }, {})).how).toBe('created');
  });

  const kernel = (routes: string): FakeOptions['facets'] => ({
    controls: {
      status: async () => null,
      network: async () => ({ devices: 'lo: 1\neth0: 1\n', routes, routes6: '' }),
    },
  });

  it('is ended by what the kernel of this host says, whatever its own programs answer', async () => {
    const context = await measuring(() => none, {}, kernel('Iface\neth0\t00000000\n'));
    await expect(acquire(context, await wanted(context, 'none'), {})).rejects.toMatchObject({
      code: 'not_supported',
      details: { interfaces: 'eth0' },
    });
    expect(at.place.resources.size).toBe(0);
  });

  it('runs no command of its image before the first one where the kernel of this host answers', async () => {
    const context = await measuring(() => routed, {}, kernel('Iface\nlo\t00000000\n'));
    const { row, sandbox } = await acquire(context, await wanted(context, 'none'), {});
    expect(at.place.calls).not.toContain('exec');
    // The host is believed for this too, once the sandbox has been measured.
    expect(await measured(context, row, sandbox)).toMatchObject({ routed: false, interfaces: ['eth0'] });
  });

  it('is not measured for that where it asked for one', async () => {
    const context = await measuring(() => routed);
    await acquire(context, await wanted(context, 'open'), {});
    expect(at.place.calls).not.toContain('exec');
  });

  it('is not known to have a route or none where the kernel does not tell', () => {
    expect(parseEffective(probeText(''))?.routed).toBeNull();
  });
});
