/** Through the door of filtered sandboxes, on real engines: what is refused, its harmless twin, and the record of both. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import type { Connection } from '../../src/service/network-api.ts';
import {
  addressCases,
  type Case,
  nameCases,
  network,
  passes,
  patternCases,
  type Recorded,
  redirects,
  refused,
  resolverCases,
  smuggled,
  tlsCases,
  zone,
} from './egress-cases.ts';
import {
  closeAll,
  attempts,
  configure,
  download,
  type EgressPlace,
  openPlace,
  openService,
  placesHere,
} from './egress-places.ts';
import { address, type EgressWorld, openWorld, otherAddress } from './egress-world.ts';
import { ownAddresses } from './egress-outside.ts';
import { startProxy } from './egress-proxy.ts';
import { type Home, makeHome } from './home.ts';

const taskId = 'one';

/** Arguments of the program in the sandbox: each part in hexadecimal, with a long filler as its length. */
const probeOf = ({ parts }: Case): string => ['door', ...parts.map((part) => partOf(Buffer.from(part)))].join(' ');
function partOf(bytes: Buffer): string {
  const [before = '', after = null] = bytes.toString('latin1').split('{fill}');
  const hex = (text: string): string => Buffer.from(text, 'latin1').toString('hex');
  return after === null ? bytes.toString('hex') : `${hex(before)},fill1000000,${hex(after)}`;
}

const place = ({ name, port }: Connection): string | null => (name === null ? null : `${name}:${port}`);
/** A record is written when its connection ends, which may be after the next one. */
const byText = (a: Recorded, b: Recorded): number => (String(a) < String(b) ? -1 : 1);
const recordOf = (each: Connection): Recorded => [place(each), each.verdict, each.rule];

const leads = Object.fromEntries(Object.entries(redirects).map(([path, { to }]) => [path, to]));

describe.skipIf(placesHere.length === 0)('the door of a filtered network', () => {
  let world: EgressWorld;
  beforeAll(async () => void (world = await openWorld(zone, leads)));
  afterAll(async () => await world[Symbol.asyncDispose]());

  describe.each(placesHere)('on %s', (backend) => {
    let on: EgressPlace;
    let home: Home;
    let caisson: Caisson;
    beforeAll(async () => {
      [on, home] = [await openPlace(backend), await makeHome()];
      caisson = await openService(home, on, network);
      // The first image takes its time, and a proxy without a sandbox does not.
      await caisson.sandboxes.create({ taskId: 'before', network: 'none', image: on.image });
      await startProxy(home, { address, env: on.env });
      await caisson.sandboxes.create({ taskId, network: 'filtered', image: on.image });
    }, 240_000);
    afterAll(async () => await closeAll({ caisson, home, place: on }));
    const log = async (): Promise<readonly Connection[]> =>
      await Array.fromAsync(caisson.network.log(taskId, { count: 10_000 }));

    /** The answers to all, and what is on record of them. */
    const check = async (cases: readonly Case[]): Promise<readonly Connection[]> => {
      const before = (await log()).length;
      const ends = await attempts(caisson, taskId, cases.map(probeOf));
      const answers = cases.map(({ about }, at) => [about, ends[at]?.[1]]);
      expect(answers).toEqual(cases.map(({ about, answer }) => [about, answer ?? expect.stringMatching(/^(?:431)?$/)]));
      const wanted = cases.flatMap(({ recorded }) => recorded);
      await vi.waitFor(async () => expect((await log()).length).toBe(before + wanted.length));
      const made = (await log()).slice(before);
      expect(made.map(recordOf).toSorted(byText)).toEqual(wanted.toSorted(byText));
      return made;
    };
    /** NE-22: where it was connected to, and how much passed; nothing of what was refused. */
    const expectBytes = (made: readonly Connection[]): void => {
      for (const each of made) {
        const { verdict, sentBytes, receivedBytes } = each;
        const passed = [sentBytes > 0, receivedBytes > 0, each.address];
        const isCut = each.rule === 'server-name';
        expect([place(each), ...passed]).toEqual(
          verdict === 'allow'
            ? [place(each), true, true, address]
            : [place(each), false, false, isCut ? address : null],
        );
      }
    };

    /** What is on record of a command, beside its end. */
    const recordsOf = async (text: string) => {
      const before = (await log()).length;
      const { exit, stderr } = await caisson.run({ taskId, command: ['sh', '-c', text] });
      return { code: exit.exitCode, stderr: stderr.text, made: (await log()).slice(before) };
    };
    const reload = async (lines: readonly string[]): Promise<void> => {
      configure(home, on, lines);
      await caisson.config.reload();
    };

    test('no address that is not public, also where it is listed (NE-05, NE-06, NE-22)', async () => {
      expectBytes(await check(addressCases));
    });

    test('no name of this host and of metadata services, and no spelling of an address (NE-06, NE-07)', async () => {
      expectBytes(await check(nameCases));
    });

    test('what patterns and ports say, and what they do not; and no name is looked up for the rest (NE-11, NE-13, NE-14)', async () => {
      const before = world.asked.length;
      expectBytes(await check(patternCases));
      const asked = new Set(world.asked.slice(before));
      expect([...asked].toSorted()).toEqual(['a.b.sub.example', 'a.sub.example', 'listed.example']);
    });

    test('hostile answers of a name server (NE-08)', async () => {
      const before = world.asked.length;
      expectBytes(await check(resolverCases));
      // Once for each connection: what was judged is what is dialled.
      const flips = world.asked.slice(before).filter((name) => name === 'flip.example');
      expect(flips).toHaveLength(2);
    });

    test('names in TLS and in the Host header (NE-12)', async () => {
      expectBytes(await check(await tlsCases()));
    });

    test('requests that could be read in two ways (NE-16)', async () => {
      const before = world.requests.length;
      await check(smuggled);
      expect(world.requests.slice(before)).toEqual(['ok.example/']);
    });

    test.each(Object.entries(redirects))('a redirect to %s is judged anew (NE-09)', async (path, { recorded }) => {
      const { code, made } = await recordsOf(download(`http://ok.example${path}`));
      expect(code).toBe(recorded?.[1] === 'allow' ? 0 : 100);
      const first: Recorded = ['ok.example:80', 'allow', 'allow ok.example'];
      expect(made.map(recordOf)).toEqual(recorded === null ? [first] : [first, recorded]);
    });

    test('a name that the sandbox maps elsewhere leads where the proxy finds it (NE-10)', async () => {
      const mapped = await recordsOf(`echo '${otherAddress} ok.example' >>/etc/hosts`);
      const [[, seen = ''] = []] = await attempts(caisson, taskId, ['name ok.example']);
      // Some sandboxes may not write that file.
      expect(seen).toBe(mapped.code === 0 ? `answered ${otherAddress}` : 'Temporary failure in name resolution');
      const { code, made } = await recordsOf(download('http://ok.example/'));
      expect([code, made.map((each) => each.address), world.strayed()]).toEqual([0, [address], 0]);
      expectBytes(await check([passes('ok.example', 'allow ok.example'), refused(otherAddress, 'no rule')]));
    });

    test('no list and an empty one are nothing, and all is what says so, but for this host (NE-02, NE-06)', async () => {
      const opened = [`allow_private: ["${address}:80"]`];
      for (const lines of [opened, [...opened, 'allow: []']]) {
        await reload(lines);
        await check([refused('ok.example', 'no rule'), refused(address, 'no rule')]);
      }
      await reload([...opened, 'allow: ["*"]']);
      const own = ownAddresses().filter((each) => each !== address);
      await check([
        passes('ok.example', 'allow *'),
        ...own.map((each) => refused(each.includes(':') ? `[${each}]` : each, 'address', `${each}:80`)),
      ]);
      await expect(caisson.network.change(taskId, { allow: ['*.com'] })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
      await reload(network);
      await check([passes('ok.example', 'allow ok.example')]);
    });

    test('all of it is on record with the task, and the command line shows the same (NE-22)', async () => {
      const [{ id = '' } = {}] = (await caisson.sandboxes.list()).items.filter((each) => each.taskId === taskId);
      const lines = readFileSync(`${home.path}/egress/log/${id}.ndjson`, 'utf8').trim().split('\n');
      const written: readonly unknown[] = lines.map((line) => JSON.parse(line));
      expect(written).toEqual((await log()).map((each) => expect.objectContaining({ ...each, task: taskId })));
      const shown = await home.cli(['net', 'log', taskId, '--json', '-n', '100000']);
      expect(shown.stdout.trim().split('\n')).toHaveLength(lines.length);
    });
  });
});
