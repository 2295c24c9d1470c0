import { statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Guarantees, Spec } from '../../src/backend.ts';
import { acquire } from '../../src/sandbox/acquire.ts';
import { setidOf } from '../../src/sandbox/setid.ts';
import { spec } from './rows.ts';
import { afresh, plan } from './service.ts';

const { service } = afresh();
let above: string;
let source: string;

beforeEach(async () => {
  above = await realpath(await mkdtemp(join(tmpdir(), 'setid-')));
  source = join(above, 'project');
  await mkdir(source);
});
afterEach(() => rm(above, { recursive: true, force: true }));

describe('a mount that other users of this host reach', () => {
  it('is listed as missing a refusal where the place has none', async () => {
    await chmod(above, 0o755);
    const { dev, ino } = statSync(source, { bigint: true });
    const context = await service({ mounts: 'read-write' }, { mounted: () => ({ device: dev, inode: ino }) });
    const bare = await plan(context);
    const own = { ...bare.spec, mounts: [{ source, target: '/workspace', readOnly: false }] };
    const { row } = await acquire(context, { ...bare, spec: own, placed: own }, {});
    expect(row.degraded).toEqual([expect.objectContaining({ control: 'setid', wanted: 'refused', asked: false })]);
  });

  it.each([
    ['by the builtin filter', 0o755, {}, [true, 0]],
    ['by a runtime that is promised', 0o755, { runtime: 'crun' }, [true, 0]],
    ['not by another runtime', 0o755, { runtime: 'runsc' }, [undefined, 1]],
    ["not by the engine's filter", 0o755, { seccomp: 'engine' }, [undefined, 1]],
    ['by nothing, where others are kept out', 0o700, { seccomp: 'engine' }, [undefined, 0]],
  ] as const)('refuses the bits %s', async (_, mode, hardening, expected) => {
    await chmod(above, mode);
    const setid = { refused: true, runtimes: ['crun'] };
    const promised = await (await (await service()).backend('fake')).guarantees();
    const guarantees: Guarantees = { ...promised, hardening: { ...promised.hardening, setid } };
    const own: Spec = {
      ...spec,
      mounts: [{ source, target: '/workspace', readOnly: false }],
      hardening: { ...spec.hardening, seccomp: 'builtin', ...hardening },
    };
    const { refuseSetid, degraded } = setidOf(own, guarantees);
    expect([refuseSetid, degraded.length]).toEqual(expected);
  });
});
