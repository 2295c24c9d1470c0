/** A filtered network where the service has the list: the same rules and commands as with the proxy, or an error that says why not. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openCaisson } from '../../src/main.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { daytonaImage, startDaytonaHere, whyNoDaytona } from '../engines/daytona.ts';
import { startModalService, whyNoModal } from '../engines/modal.ts';

interface Service {
  readonly env: Readonly<Record<string, string>>;
  /** The names that the one sandbox there may reach; `null`: no list holds. */
  readonly names: () => Promise<readonly string[] | null>;
  /** How many run or are stopped there. */
  readonly count: () => Promise<number>;
  readonly image: string;
  /** Lets time pass at the service. */
  readonly advance: (ms: number) => Promise<unknown>;
}

const modal = whyNoModal === null ? await startModalService() : null;
const daytona = whyNoDaytona() === null ? await startDaytonaHere() : null;
afterAll(async () => {
  await modal?.stop();
  await daytona?.close();
});

const page = z.object({
  items: z.array(z.object({ networkBlockAll: z.boolean(), domainAllowList: z.string().optional() })),
});

async function listed(): Promise<z.infer<typeof page>['items']> {
  const { environment } = daytona ?? expect.fail('no emulator');
  const headers = { authorization: `Bearer ${environment['DAYTONA_API_KEY'] ?? ''}` };
  const answer = await fetch(`${environment['DAYTONA_API_URL'] ?? ''}/sandbox`, { headers });
  return page.parse(await answer.json()).items;
}

const running = async () => ((await modal?.state())?.sandboxes ?? []).filter(({ status }) => status === null);

const services: Readonly<Record<string, Service>> = {
  modal: {
    env: modal?.env ?? {},
    names: async () => {
      const [sandbox] = await running();
      return typeof sandbox?.network === 'object' ? sandbox.network.domains : null;
    },
    count: async () => (await running()).length,
    image: 'debian:12',
    advance: async (ms) => await modal?.order('advance', { ms }),
  },
  daytona: {
    env: daytona?.environment ?? {},
    names: async () => {
      const [sandbox] = await listed();
      return sandbox?.networkBlockAll === true ? [] : (sandbox?.domainAllowList?.split(',') ?? null);
    },
    count: async () => (await listed()).length,
    image: daytonaImage,
    advance: async (ms) => await daytona?.inject({ fault: 'advance-clock', ms }),
  },
};

const why = whyNoModal ?? whyNoDaytona();

describe.skipIf(why !== null).each(Object.entries(services))('on %s', { timeout: 120_000 }, (backend, service) => {
  let home = '';
  let caisson: Caisson;
  const opened: Caisson[] = [];

  async function config(network: string, more = ''): Promise<void> {
    const terminal = `terminal: {backend: ${backend}, ${backend}_image: "${service.image}"}`;
    await writeFile(join(home, 'config.yaml'), `${terminal}\nnetwork: ${network}\n${more}\n`, { mode: 0o600 });
  }
  async function open(): Promise<Caisson> {
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, CAISSON_HOME: home, ...service.env };
    opened.push(await openCaisson({ home, env, cwd: home }));
    return opened.at(-1) ?? expect.fail();
  }
  const run = async (on = caisson) => await on.execs.run({ command: ['echo', 'up'], taskId: 't' });

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'caisson-lists-'));
    await config('{mode: filtered, allow: [a.example, "*.b.example"], deny: [c.example]}');
    caisson = await open();
  });
  afterEach(async () => {
    await caisson.sandboxes.remove('t').catch(() => undefined);
    for (const each of opened.splice(0)) await each.close();
    await rm(home, { recursive: true });
    // A sandbox that one test leaves would show its list to the next.
    if ((await service.count()) > 0) throw new Error('a sandbox was left at the service');
  });

  it('the list is what the rules say, without a door', async () => {
    expect((await run()).exit).toMatchObject({ exitCode: 0, notes: [] });
    expect(await service.names()).toEqual(['*.b.example', 'a.example']);
    expect(await caisson.sandboxes.get('t')).toMatchObject({ spec: { network: 'filtered', filteredBy: 'place' } });
    expect(await caisson.sandboxes.limits('t')).toMatchObject({ network: { mode: 'filtered', standing: 'enforced' } });
  });

  it('a change holds at once, and is kept', async () => {
    await run();
    expect(await caisson.network.change('t', { allow: ['d.example'], deny: ['a.example'] })).toMatchObject({
      allow: ['d.example'],
      deny: ['a.example'],
      mode: 'filtered',
    });
    expect(await service.names()).toEqual(['*.b.example', 'd.example']);
    await caisson.sandboxes.stop('t');
    await run(await open());
    expect(await service.names()).toEqual(['*.b.example', 'd.example']);
    expect(await caisson.network.rules('t')).toMatchObject({ allow: ['d.example'], deny: ['a.example'] });
  });

  it('a change that the list cannot say is refused, and changes nothing', async () => {
    await run();
    for (const change of [{ deny: ['x.b.example'] }, { allow: ['d.example:8443'] }, { allow: ['*'] }])
      await expect(caisson.network.change('t', change)).rejects.toMatchObject({ code: 'not_supported' });
    expect(await service.names()).toEqual(['*.b.example', 'a.example']);
    expect(await caisson.network.rules('t')).toMatchObject({ allow: [], deny: [] });
  });

  it('a change of the file is taken up by a reload, and by another process before its first command', async () => {
    await run();
    await config('{mode: filtered, allow: [e.example]}');
    await caisson.config.reload();
    expect(await service.names()).toEqual(['e.example']);
    await config('{mode: filtered, allow: [f.example]}');
    await run(await open());
    expect(await service.names()).toEqual(['f.example']);
  });

  it('is that of now in a sandbox that the service has stopped by itself', async () => {
    await run();
    await service.advance(2 * 24 * 3_600_000);
    await config('{mode: filtered, allow: [e.example]}');
    await caisson.config.reload();
    expect((await run()).exit.exitCode).toBe(0);
    expect(await service.names()).toEqual(['e.example']);
  });

  it('a file with rules that the list cannot say leaves nothing open', async () => {
    await run();
    await config('{mode: filtered, allow: [a.example, "*.b.example"], deny: [x.b.example]}');
    await expect(caisson.config.reload()).rejects.toMatchObject({ code: 'not_supported' });
    expect(await service.names()).toEqual([]);
    await expect(run()).rejects.toMatchObject({ code: 'not_supported', message: /deny x\.b\.example/ });
  });

  it('has no record of connections', async () => {
    await run();
    const log = async () => {
      for await (const each of caisson.network.log('t')) expect.fail(JSON.stringify(each));
    };
    for (const asked of [log(), caisson.network.suggest('t')])
      await expect(asked).rejects.toMatchObject({
        code: 'failed_precondition',
        message: /no connection of t is on record/,
      });
  });

  it.each([
    ['{mode: filtered, allow: [203.0.113.7]}', /203\.0\.113\.7/],
    ['{mode: filtered, allow: ["*"]}', /allow \*/],
    ['{mode: filtered, allow: [a.example], ports: [8443]}', /port 8443/],
    ['{mode: filtered, presets: [npm], deny: [x.npmjs.org]}', /deny x\.npmjs\.org/],
    ['{mode: observe}', /records no connections/],
  ])('makes nothing of %s', async (network, message) => {
    await config(network);
    await expect(run(await open())).rejects.toMatchObject({ code: 'not_supported', message });
    expect([await service.count(), (await caisson.sandboxes.list()).items]).toEqual([0, []]);
  });

  it('a recreation that is refused leaves the sandbox that is there', async () => {
    await run();
    await config('{mode: filtered, allow: ["*"]}');
    const recreate = (await open()).execs.run({ command: ['true'], taskId: 't', recreate: true });
    await expect(recreate).rejects.toMatchObject({ code: 'not_supported' });
    expect(await service.count()).toBe(1);
  });

  it('rules of a task come beside those of all', async () => {
    await config('{mode: filtered, allow: [a.example]}', 'tasks: {t: {network: {allow: [g.example]}}}');
    await run(await open());
    expect(await service.names()).toEqual(['a.example', 'g.example']);
  });
});
