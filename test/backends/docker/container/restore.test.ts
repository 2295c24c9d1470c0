/** Both ways to set rules in the network namespace of a sandbox, on a real engine. */
import { execFileSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { canRefuse, refuse } from '../../../../backends/docker/container/refusals.ts';
import { type Restore, restoreBeside, restoreEntering } from '../../../../backends/docker/container/restore.ts';
import { Engine } from '../../../../backends/docker/engine/engine.ts';
import type { DoorImage, Refusals } from '../../../../src/backend.ts';
import { egressImage } from '../../../../images/builder/egress.ts';
import { dockerHost } from '../../../engines/docker.ts';
import { Place, sh } from '../place.ts';

const host = dockerHost();
const isRoot = process.getuid?.() === 0;
const some: Refusals = { ranges: ['10.0.0.0/8'], opened: [{ address: '10.0.0.2', port: 53 }] };

describe.skipIf(host === null || !isRoot)('rules of a sandbox with an open network', () => {
  const place = new Place(host ?? 'unix:///nowhere/docker.sock');
  const engine = new Engine({ env: { DOCKER_HOST: host ?? '' }, instance: place.instance });
  const ways: Readonly<Record<string, Restore>> = {
    'a process that enters its namespace': restoreEntering,
    'a container that shares its namespace': restoreBeside(engine, egressImage),
  };
  afterAll(async () => {
    await place.close();
    await engine.close();
  });
  const containers = async (): Promise<readonly string[]> =>
    (await place.engine.listContainers({ all: true, filters: { label: ['caisson.role=rules'] } })).map(({ Id }) => Id);

  it.each(Object.entries(ways))('are set by %s, in place of those of before', async (_, restore) => {
    expect(await canRefuse(restore)).toMatchObject({ enforced: true });
    const sandbox = await place.create({ network: 'open' });
    const { resource } = sandbox.place;
    await refuse(engine, resource, { restore, refusals: () => ({ ...some, ranges: ['172.16.0.0/12'] }) });
    await refuse(engine, resource, { restore, refusals: () => some });
    const { State, NetworkSettings } = await place.engine.getContainer(resource).inspect();
    const rules = execFileSync('nsenter', ['-n', '-t', String(State.Pid), 'iptables', '-S', 'OUTPUT']).toString();
    const [gateway] = Object.values(NetworkSettings.Networks).map(({ Gateway }) => Gateway);
    expect(rules.trim().split('\n')).toEqual([
      '-P OUTPUT ACCEPT',
      '-A OUTPUT -o lo -j ACCEPT',
      '-A OUTPUT -d 10.0.0.2/32 -p tcp -m tcp --dport 53 -j ACCEPT',
      '-A OUTPUT -d 10.0.0.2/32 -p udp -m udp --dport 53 -j ACCEPT',
      '-A OUTPUT -d 10.0.0.0/8 -p tcp -j REJECT --reject-with tcp-reset',
      '-A OUTPUT -d 10.0.0.0/8 -j REJECT --reject-with icmp-admin-prohibited',
      `-A OUTPUT -d ${gateway}/32 -p tcp -j REJECT --reject-with tcp-reset`,
      `-A OUTPUT -d ${gateway}/32 -j REJECT --reject-with icmp-admin-prohibited`,
    ]);
    expect((await sh(sandbox, 'nc -w 2 10.0.0.3 80 </dev/null')).stderr).toContain('Connection refused');
    expect(await containers()).toEqual([]);
    await sandbox.destroy();
  });

  it.each(Object.entries(ways))('are refused with the reason where %s cannot set them', async (_, restore) => {
    const failure = await restore('*filter\n-A NOWHERE -j ACCEPT\nCOMMIT\n', null);
    expect(failure).toMatch(/NOWHERE|line 2|No chain/i);
    expect(await containers()).toEqual([]);
  });

  it('are not set where this host has no iptables, or the namespace is that of the host', async () => {
    const image = async (): Promise<DoorImage> => ({ ...(await egressImage()), rules: null });
    expect(await canRefuse(restoreBeside(engine, image))).toEqual({
      enforced: false,
      reason: expect.stringContaining('no iptables'),
    });
    const own = { id: '', pid: process.pid, labels: null };
    expect(await restoreEntering('*filter\nCOMMIT\n', own)).toBe('its network namespace is not to be seen');
    expect(await restoreEntering('*filter\nCOMMIT\n', { ...own, id: 'f'.repeat(64) })).toContain('not to be seen');
  });
});
