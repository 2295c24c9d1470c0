/** What the service gets of a filtered network, and what happens where it sets something else. */
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isAs, networkOf } from '../../../backends/daytona/network.ts';
import type { Spec } from '../../../src/backend.ts';
import { sh } from '../../conformance/command.ts';
import { startDaytonaHere, whyNoDaytona } from '../../engines/daytona.ts';
import { backendOn, options, spec as plain } from './place.ts';

const why = whyNoDaytona();
const emulator = why === null ? await startDaytonaHere() : null;
const backend = backendOn(emulator ?? { environment: {} });
const spec: Spec = { ...plain, network: 'filtered', filteredBy: 'place' };
const onRef = async (): Promise<void> => undefined;

const shown = z.object({
  networkBlockAll: z.boolean(),
  networkAllowList: z.string().optional(),
  domainAllowList: z.string().optional(),
});

/** Network settings that the service shows to everyone who asks. */
async function network(id: unknown): Promise<z.infer<typeof shown>> {
  const { environment } = emulator ?? expect.fail('no emulator');
  const headers = { authorization: `Bearer ${environment['DAYTONA_API_KEY'] ?? ''}` };
  const answer = await fetch(`${environment['DAYTONA_API_URL'] ?? ''}/sandbox/${String(id)}`, { headers });
  return shown.parse(await answer.json());
}

const list = (domainAllowList: string) => ({ networkBlockAll: false, networkAllowList: '', domainAllowList });

describe('the settings of the service', () => {
  it.each([
    ['open', [], { networkBlockAll: false }],
    ['none', ['a.example'], { networkBlockAll: true }],
    ['filtered', [], { networkBlockAll: true }],
    ['filtered', ['a.example', '*.b.example'], list('a.example,*.b.example')],
  ] as const)('for %s with %j', (mode, hosts, expected) => {
    expect(networkOf(mode, hosts)).toEqual(expected);
  });

  it('are read back: the same names, no addresses, and no block that was not asked for', () => {
    const wanted = networkOf('filtered', ['a.example', '*.b.example']);
    expect(isAs({ networkBlockAll: false, domainAllowList: '*.B.example, a.example' }, wanted)).toBe(true);
    const others = [
      { networkBlockAll: true, domainAllowList: 'a.example,*.b.example' },
      { networkBlockAll: false },
      { networkBlockAll: false, domainAllowList: 'a.example' },
      { networkBlockAll: false, domainAllowList: 'a.example,*.b.example,c.example' },
      { networkBlockAll: false, domainAllowList: 'a.example,*.b.example', networkAllowList: '203.0.113.0/24' },
    ];
    for (const other of others) expect(isAs(other, wanted)).toBe(false);
  });
});

describe.skipIf(why !== null)('a filtered network at Daytona', { timeout: 120_000 }, () => {
  afterAll(async () => {
    await backend.close();
    await emulator?.close();
  });

  it('is a list of names and none of addresses', async () => {
    const sandbox = await backend.create(spec, { ...options('list'), egress: ['*.a.example', 'b.example'] });
    expect(await network(sandbox.ref['id'])).toEqual(list('*.a.example,b.example'));
    expect(String((await sh(sandbox, 'tail -n +2 /proc/net/route; echo end')).stdout)).toBe('end\n');
    await sandbox.destroy();
  });

  it('is a block where no name is given, until there is one, and again', async () => {
    const sandbox = await backend.create(spec, options('block'));
    expect(await network(sandbox.ref['id'])).toEqual({ networkBlockAll: true });
    await sandbox.egress?.replace(['a.example']);
    expect(await network(sandbox.ref['id'])).toEqual(list('a.example'));
    await (await backend.attach(sandbox.ref)).egress?.replace([]);
    expect(await network(sandbox.ref['id'])).toMatchObject({ networkBlockAll: true });
    await sandbox.destroy();
  });

  it('is that of now when it is started, and is not changed while it is stopped', async () => {
    const sandbox = await backend.create(spec, { ...options('start'), egress: ['a.example'] });
    await sandbox.power?.stop({ onRef });
    await expect(sandbox.egress?.replace(['b.example'])).rejects.toMatchObject({ code: 'failed_precondition' });
    await sandbox.power?.start({ onRef, egress: ['b.example'] });
    expect(await network(sandbox.ref['id'])).toEqual(list('b.example'));
    await sandbox.destroy();
  });

  it('is that of now in what a lost answer has left behind', async () => {
    await backend.create(spec, { ...options('lost'), egress: ['a.example'] });
    const second = await backend.create(spec, { ...options('lost'), egress: ['b.example'] });
    expect(await network(second.ref['id'])).toEqual(list('b.example'));
    expect(await backend.list({ instance: 'daytona-tests' })).toHaveLength(1);
    await second.destroy();
  });

  it('that the service will not set is an error, and leaves nothing', async () => {
    const egress = Array.from({ length: 21 }, (_, at) => `host-${at}.example`);
    await expect(backend.create(spec, { ...options('many'), egress })).rejects.toMatchObject({
      code: 'failed_precondition',
    });
    expect(await backend.list({ instance: 'daytona-tests' })).toEqual([]);
  });

  it('of which the organization has another list is refused at the creation, and leaves nothing', async () => {
    await emulator?.inject({ fault: 'organization', domains: 'a.example,others.example' });
    const creating = backend.create(spec, { ...options('tier'), egress: ['a.example'] });
    await expect(creating).rejects.toMatchObject({ code: 'not_supported', details: { network: 'filtered' } });
    expect(await backend.list({ instance: 'daytona-tests' })).toEqual([]);
    await emulator?.inject({ fault: 'none' });
  });

  it('that comes out otherwise while it runs is an error, and lets nothing out any more', async () => {
    const sandbox = await backend.create(spec, { ...options('change'), egress: ['a.example'] });
    await emulator?.inject({ fault: 'organization', domains: 'a.example,others.example' });
    await expect(sandbox.egress?.replace(['b.example'])).rejects.toMatchObject({ code: 'not_supported' });
    expect(await network(sandbox.ref['id'])).toMatchObject({ networkBlockAll: true });
    await emulator?.inject({ fault: 'none' });
    await sandbox.destroy();
  });
});
