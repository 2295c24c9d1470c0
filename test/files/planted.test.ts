import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyIn } from '../../src/files/copy-in.ts';
import { copyOut } from '../../src/files/copy-out.ts';
import { directory, file, tree } from './hostile-tars.ts';
import { printingSandbox, processSandbox } from './process-sandbox.ts';
import { scratch, snapshot } from './scratch.ts';

/** `shared` is what a sandbox can write too, for example through a mount; `victim` is what it would like to reach. */
function ground(): { base: string; shared: string; victim: string } {
  const base = scratch();
  const [shared, victim] = [join(base, 'shared'), join(base, 'victim')];
  mkdirSync(join(shared, 'work'), { recursive: true });
  mkdirSync(victim);
  writeFileSync(join(victim, 'precious'), 'old');
  return { base, shared, victim };
}

const archive = tree(file('precious', 'evil'), directory('d'), file('d/x'));
const alone = Buffer.concat([file('precious', 'evil'), Buffer.alloc(1024)]);

describe('FT-09 a link that was planted in the destination', () => {
  const cases: readonly (readonly [string, (ground: { shared: string; victim: string }) => string, Buffer])[] = [
    [
      'as the target',
      ({ shared, victim }) => {
        symlinkSync(victim, join(shared, 'out'));
        return join(shared, 'out');
      },
      archive,
    ],
    [
      'as the target, to a file',
      ({ shared, victim }) => {
        symlinkSync(join(victim, 'precious'), join(shared, 'out'));
        return join(shared, 'out');
      },
      alone,
    ],
    [
      'above the target',
      ({ shared, victim }) => {
        symlinkSync(victim, join(shared, 'work/up'));
        return join(shared, 'work/up/new');
      },
      archive,
    ],
    [
      'reached by a link of the operator',
      ({ shared, victim }) => {
        symlinkSync(victim, join(shared, 'work/up'));
        symlinkSync(join(shared, 'work/up'), join(shared, '../mine'));
        return join(shared, '../mine/new');
      },
      archive,
    ],
  ];
  it.each(cases)('%s is refused', async (_title, plant, sent) => {
    const { base, shared, victim } = ground();
    const target = plant({ shared, victim });
    const copy = copyOut(printingSandbox(sent), { source: '/agent/out', target, untrusted: [shared] });
    await expect(copy).rejects.toMatchObject({ code: 'permission_denied', message: expect.stringContaining('link') });
    expect(snapshot(victim)).toEqual(new Map([['precious', 'file old']]));
    expect([...snapshot(base).keys()].filter((path) => path.includes('.caisson'))).toEqual([]);
  });

  it('where a file goes into a directory is replaced, not followed', async () => {
    const { shared, victim } = ground();
    symlinkSync(join(victim, 'precious'), join(shared, 'work/precious'));
    await copyOut(printingSandbox(alone), {
      source: '/agent/precious',
      target: join(shared, 'work'),
      untrusted: [shared],
    });
    expect(readFileSync(join(victim, 'precious'), 'utf8')).toBe('old');
    expect(snapshot(join(shared, 'work'))).toEqual(new Map([['precious', 'file evil']]));
  });

  it('where a tree goes into a tree is refused before anything is changed', async () => {
    const { shared, victim } = ground();
    symlinkSync(victim, join(shared, 'work/d'));
    const copy = copyOut(printingSandbox(archive), {
      source: '/agent/tree/.',
      target: join(shared, 'work'),
      untrusted: [shared],
    });
    await expect(copy).rejects.toMatchObject({ code: 'failed_precondition' });
    expect([...snapshot(victim).keys()]).toEqual(['precious']);
    expect([...snapshot(join(shared, 'work')).keys()]).toEqual(['d']);
  });

  it('is followed when no sandbox can write there: then it is the operator’s own', async () => {
    const { base, victim } = ground();
    symlinkSync('victim', join(base, 'mine'));
    await copyOut(printingSandbox(archive), { source: '/agent/new', target: join(base, 'mine') });
    expect(readFileSync(join(victim, 'new/precious'), 'utf8')).toBe('evil');
  });

  it('gives up on links that lead in a circle', async () => {
    const { base } = ground();
    symlinkSync('b', join(base, 'a'));
    symlinkSync('a', join(base, 'b'));
    await expect(copyOut(printingSandbox(archive), { source: '/t', target: join(base, 'a/x') })).rejects.toMatchObject({
      code: 'failed_precondition',
    });
  });

  it('is refused in the source of an upload as well', async () => {
    const { base, shared } = ground();
    symlinkSync('/etc', join(shared, 'work/etc'));
    for (const source of ['work/etc', 'work/etc/hostname']) {
      const copy = copyIn(processSandbox(), {
        source: join(shared, source),
        target: join(base, 'inside'),
        untrusted: [shared],
      });
      await expect(copy).rejects.toMatchObject({ code: 'permission_denied' });
    }
    expect(existsSync(join(base, 'inside'))).toBe(false);
  });
});

/** Swaps a directory and a link in a loop, in a process of its own, as an agent with a shell would. */
async function flip(directoryPath: string, target: string): Promise<void> {
  const program = `
    import { renameSync, symlinkSync, mkdirSync } from 'node:fs';
    const [path, target] = process.argv.slice(1);
    const act = (f) => { try { f(); } catch {} };
    console.log('ready');
    for (let i = 0; ; i++) {
      act(() => renameSync(path, path + '.away'));
      act(() => symlinkSync(target, path));
      act(() => renameSync(path, path + '.link'));
      act(() => renameSync(path + '.away', path));
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, directoryPath, target], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child.stdout, 'data');
}

describe('FT-10 a directory that becomes a link and back all the time', () => {
  it.skipIf(process.platform !== 'linux')(
    'in the source never makes an upload read outside',
    async () => {
      const { base, shared, victim } = ground();
      mkdirSync(join(shared, 'work/flips'));
      for (let i = 0; i < 20; i++) writeFileSync(join(shared, 'work/flips', `f${i}`), 'harmless');
      for (let i = 0; i < 20; i++) writeFileSync(join(victim, `f${i}`), 'secret');
      await flip(join(shared, 'work/flips'), victim);
      const sandbox = processSandbox();
      for (let i = 0; i < 60; i++) {
        const target = join(base, `inside${i}`);
        await copyIn(sandbox, { source: join(shared, 'work'), target, untrusted: [shared] }).catch(() => {});
        if (existsSync(target))
          for (const content of snapshot(target).values()) expect(content).not.toContain('secret');
      }
    },
    60_000,
  );

  it.skipIf(process.platform !== 'linux')(
    'at the destination never makes a download write outside',
    async () => {
      const { shared, victim } = ground();
      mkdirSync(join(shared, 'work/flips'));
      await flip(join(shared, 'work/flips'), victim);
      const before = snapshot(victim);
      let arrived = 0;
      for (let i = 0; i < 500; i++) {
        const copy = copyOut(printingSandbox(archive), {
          source: '/agent/t/.',
          target: join(shared, 'work/flips/'),
          untrusted: [shared],
        });
        arrived += await copy.then(
          () => 1,
          () => 0,
        );
        expect(snapshot(victim)).toEqual(before);
      }
      expect(arrived).toBeGreaterThan(0);
    },
    60_000,
  );

  it.skipIf(process.platform !== 'linux')(
    'in the staging directory never makes a download write outside',
    async () => {
      const { shared, victim } = ground();
      const target = join(shared, 'work/new');
      const before = snapshot(victim);
      let swaps = 0;
      for (let i = 0; i < 50; i++) {
        const sent = swapping(join(shared, 'work'), victim, () => swaps++);
        const copy = copyOut(printingSandbox(sent), { source: '/agent/t', target, untrusted: [shared] });
        await copy.catch(() => {});
        expect(snapshot(victim)).toEqual(before);
        rmSync(target, { recursive: true, force: true });
      }
      expect(swaps).toBe(50);
    },
    60_000,
  );
});

/** Sends a tree and, in the middle of it, swaps the directory that is being filled for a link. */
function* swapping(parent: string, victim: string, onSwap: () => void): Generator<Buffer> {
  const whole = tree(
    directory('d'),
    file('d/a', 'x'.repeat(70_000)),
    file('d/evil', 'evil'),
    file('d/precious', 'evil'),
  );
  yield whole.subarray(0, 40_000);
  const staging = readdirSync(parent).find((name) => name.startsWith('.caisson-copy-'));
  if (staging !== undefined) {
    const inside = join(parent, staging, 'payload/d');
    renameSync(inside, `${inside}.away`);
    symlinkSync(victim, inside);
    onSwap();
  }
  yield whole.subarray(40_000);
}

describe('what a killed copy has left', () => {
  const dead = 2 ** 22 + 1;
  const nameOf = (pid: number): string => `.caisson-copy-${pid}-0123456789abcdef`;

  it('FT-15 is collected by a later copy when it is old and its process is gone', async () => {
    const { base, victim } = ground();
    const place = join(base, 'place');
    for (const pid of [dead, dead + 1, process.pid]) {
      mkdirSync(join(place, nameOf(pid), 'payload/x'), { recursive: true });
      symlinkSync(victim, join(place, nameOf(pid), 'payload/x/link'));
    }
    for (const pid of [dead, process.pid]) utimesSync(join(place, nameOf(pid)), 1, 1);
    await copyOut(printingSandbox(archive), { source: '/t', target: place });
    expect(readdirSync(place).sort()).toEqual([nameOf(process.pid), nameOf(dead + 1), 't'].sort());
    expect(snapshot(victim)).toEqual(new Map([['precious', 'file old']]));
  });
});
