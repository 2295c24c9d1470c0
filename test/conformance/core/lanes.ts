import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Sandbox } from '../../../src/backend.ts';
import { isCode } from '../../../src/errors.ts';
import { collect } from '../../../src/exec/collect.ts';
import { LanedSandbox } from '../../../src/exec/lane/laned.ts';
import { startExec } from '../../../src/exec/start.ts';
import { bare, shell } from '../../exec/requests.ts';
import { expectNotStarted, finish, run, type Result } from '../command.ts';
import type { Place } from '../place.ts';
import type { Suite } from '../suite.ts';

/** What may differ between two starts of the same command: pids, and how a shell names itself in a message. */
const masked = (bytes: Buffer): string => bytes.toString('latin1').replaceAll(/\d+/g, 'N');

/** A sandbox with a lane that is open, so that what follows goes through it. */
async function withLane(place: Place): Promise<LanedSandbox> {
  const laned = new LanedSandbox(await place.sandbox(), null);
  for (let index = 0; index < 2; index += 1) await run(laned, ['true']);
  expect(laned.noLanes).toBeNull();
  return laned;
}

async function bothWays(direct: Sandbox, laned: Sandbox, text: string): Promise<readonly [Result, Result]> {
  return [await run(direct, ['sh', '-c', text]), await run(laned, ['sh', '-c', text])];
}

const piece = fc.oneof(
  fc
    .uint8Array({ minLength: 1, maxLength: 40 })
    .map((bytes) => `printf '${[...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}'`),
  fc
    .uint8Array({ minLength: 1, maxLength: 40 })
    .map((bytes) => `printf '${[...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}' >&2`),
  fc.constantFrom(
    'head -c 200000 /dev/zero',
    'head -c 90000 /dev/zero >&2',
    'printf "AAAAAAAAAAAAAAAAAAAAAAAA:0:;"',
    '(sleep 0.02; echo late) & wait',
    'sh -c "kill -9 $$" || echo killed',
    'trap "echo trapped" EXIT',
    'set -e',
    'false || true',
    '{ sleep 0.01 >/dev/null 2>&1 & }',
    'cd /',
    'umask',
    'cat',
    'echo "$PWD"',
    'exec 3>&1; echo three >&3',
    '(exec 1>&-; true)',
    'ulimit -c',
  ),
);
const ending = fc.oneof(
  fc.integer({ min: 0, max: 255 }).map((code) => `exit ${code}`),
  fc.constantFrom(
    'kill -TERM $$',
    'kill -9 $$',
    'kill -9 0',
    'kill -SEGV $$',
    'exec 1>&-',
    'exec 0<&- 1>&- 2>&-',
    '(sleep 0.05; echo late; echo late >&2) & exit 3',
    'exec true',
    'exec sh -c "exit 7"',
    ': "${unset?}"',
    'if',
  ),
);

/** Lanes are built on `exec` alone, so every place must bear them; what comes out must not tell them from a direct exec. */
export function laneCases(suite: Suite): void {
  suite.test(
    'lanes.same-as-direct',
    'gives random commands the same bytes and status through a lane as directly',
    async (place) => {
      const sandbox = await place.sandbox();
      const laned = await withLane(place);
      try {
        await fc.assert(
          fc.asyncProperty(fc.array(piece, { maxLength: 5 }), ending, async (pieces, end) => {
            const [direct, viaLane] = await bothWays(sandbox, laned, [...pieces, end].join('\n'));
            expect(viaLane.exitCode ?? 128).toBe(direct.exitCode ?? viaLane.exitCode);
            expect(viaLane.stdout.equals(direct.stdout)).toBe(true);
            expect(masked(viaLane.stderr)).toBe(masked(direct.stderr));
          }),
          { numRuns: 10 },
        );
      } finally {
        laned.close();
      }
    },
  );

  suite.test(
    'lanes.environment',
    'shows a command through a lane the environment and directory of a direct one',
    async (place) => {
      const sandbox = await place.sandbox();
      const laned = await withLane(place);
      const input = {
        cwd: '/tmp',
        env: { A: 'it\'s $(id)\n"x"', IFS: ',', LC_ALL: 'C.UTF-8', CAISSON_EXEC: 'exec_same' },
      };
      const sorted = async (where: Sandbox): Promise<string[]> =>
        (await run(where, ['env'], input)).stdout
          .toString()
          .split('\n')
          .filter((line) => !/^(_|PWD|SHLVL|OLDPWD)=/.test(line))
          .toSorted();
      expect(await sorted(laned)).toEqual(await sorted(sandbox));
      expect((await run(laned, ['pwd'], input)).stdout.toString()).toBe('/tmp\n');
      laned.close();
    },
  );

  suite.test('lanes.path', 'looks for a program where the PATH of its command says, as directly', async (place) => {
    const sandbox = await place.sandbox();
    const laned = await withLane(place);
    const make =
      'mkdir -p /tmp/caisson-own && printf "#!/bin/sh\\necho own" >/tmp/caisson-own/only-here && cd /tmp/caisson-own && chmod 755 . only-here';
    expect((await run(laned, ['sh', '-c', make])).exitCode).toBe(0);
    const env = { FIRST: 'x', PATH: '/tmp/caisson-own:/usr/local/bin:/usr/bin:/bin' };
    for (const way of [sandbox, laned])
      expect((await run(way, ['only-here'], { env })).stdout.toString()).toBe('own\n');
    laned.close();
  });

  suite.test('lanes.names', 'runs programs whatever their names begin with or hold, as directly', async (place) => {
    const sandbox = await place.sandbox();
    const laned = await withLane(place);
    const directory = `/tmp/caisson-names-${place.instance}`;
    const names = ['-w', '--help', '--', 'a=b', 'two words', 'two\nlines', 'if', 'é'];
    const make =
      'mkdir -p "$0" && cd "$0" && for n; do printf "#!/bin/sh\\necho \\"ran \\$*\\"" >"./$n"; chmod 755 "./$n"; done';
    await run(laned, ['sh', '-c', make, directory, ...names]);
    const env = { PATH: `${directory}:/usr/local/bin:/usr/bin:/bin` };
    for (const name of names)
      for (const way of [sandbox, laned])
        expect([name, (await run(way, [name, 'me'], { env })).stdout.toString()]).toEqual([name, 'ran me\n']);
    await run(laned, ['rm', '-r', directory]);
    laned.close();
  });

  suite.test(
    'lanes.not-started',
    'reports what cannot start in a lane as it does on the direct path',
    async (place) => {
      const laned = await withLane(place);
      await expectNotStarted(run(laned, ['conformance-no-such-program']), 'not-found');
      await expectNotStarted(run(laned, ['/']), 'not-executable');
      await expect(run(laned, ['echo', 'ran'], { cwd: '/conformance/nowhere' })).rejects.toSatisfy((error: unknown) =>
        isCode(error, 'invalid_argument'),
      );
      expect((await run(laned, ['echo', 'next'])).stdout.toString()).toBe('next\n');
      laned.close();
    },
  );

  suite.test(
    'lanes.lost',
    'loses an exec whose command kills its lane, keeps its output, and serves the next one',
    async (place) => {
      const laned = await withLane(place);
      const process = await laned.exec(['sh', '-c', 'echo before; kill -9 $PPID; sleep 30'], {
        cwd: '/',
        env: {},
        stdin: false,
      });
      const seen: Buffer[] = [];
      process.stdout.on('data', (chunk: Buffer) => seen.push(chunk));
      process.stderr.resume();
      await expect(process.wait()).rejects.toSatisfy((error: unknown) => isCode(error, 'unavailable'));
      expect(Buffer.concat(seen).toString()).toBe('before\n');
      process.release();
      expect((await run(laned, ['echo', 'next'])).stdout.toString()).toBe('next\n');
      laned.close();
    },
  );

  suite.test('lanes.kill', 'ends all that one exec started when its time is over, and no other', async (place) => {
    const laned = await withLane(place);
    const go = `/tmp/conformance-${place.instance}-spared`;
    const other = await startExec(laned, shell(`until [ -e ${go} ]; do sleep 0.1; done; rm ${go}; echo fine`), bare);
    // Its time covers the start too, which takes over a second where the machine is busy.
    const late = shell('setsid sleep 300 & sleep 300 & echo begun; wait', { timeoutMs: 4000 });
    const { exit, stdout } = await collect(await startExec(laned, late, bare), { keepBytes: 100 });
    // The other command began in the same moment: a place that sees all processes may not know whose they are.
    expect([exit.reason, exit.survivors ?? [], stdout.text]).toEqual(['timed-out', [], 'begun\n']);
    const find = `grep -lsz '^CAISSON_EXEC=${late.execId}$' /proc/[0-9]*/environ | wc -l`;
    expect(Number((await run(laned, ['sh', '-c', find])).stdout)).toBe(0);
    await run(laned, ['touch', go]);
    const spared = await collect(other, { keepBytes: 100 });
    expect([spared.exit.exitCode, spared.stdout.text]).toEqual([0, 'fine\n']);
    laned.close();
  });

  suite.test('lanes.long', 'ends the streams of a command that ran long, and takes the next one', async (place) => {
    const laned = await withLane(place);
    for (const word of ['first', 'second']) {
      const { exitCode, stdout } = await run(laned, ['sh', '-c', `sleep 2.2; echo ${word}`]);
      expect([exitCode, stdout.toString()]).toEqual([0, `${word}\n`]);
    }
    laned.close();
  });

  suite.test(
    'lanes.cross-talk',
    'keeps the bytes of concurrent execs apart, also with writers left in the background',
    async (place) => {
      const laned = await withLane(place);
      const one = async (index: number): Promise<void> => {
        const mark = `<${index}>`;
        const background = index % 5 === 0 ? `(sleep 0.0${index % 10}; printf '${mark}') & ` : '';
        const process = await laned.exec(
          [
            'sh',
            '-c',
            `${background}i=0; while [ $i -lt 20 ]; do printf '${mark}'; printf '${mark}' >&2; i=$((i+1)); done; exit ${index % 256}`,
          ],
          { cwd: '/', env: {}, stdin: false },
        );
        const { exitCode, stdout, stderr } = await finish(process);
        expect(exitCode).toBe(index % 256);
        expect(stdout.toString().replaceAll(mark, '')).toBe('');
        expect(stdout.length / mark.length).toBeGreaterThanOrEqual(20);
        expect(stderr.toString()).toBe(mark.repeat(20));
      };
      for (let round = 0; round < 4; round += 1)
        await Promise.all(Array.from({ length: 16 }, (_, index) => one(round * 16 + index)));
      laned.close();
    },
  );

  suite.test(
    'lanes.one-by-one',
    'keeps the bytes of commands apart that come one at a time, some after a while, with writers left in the background',
    async (place) => {
      const laned = await withLane(place);
      for (let index = 0; index < 60; index += 1) {
        const mark = `<${index}>`;
        const background = index % 3 === 0 ? `(sleep 0.0${index % 10}; printf '${mark}') & ` : '';
        const { exitCode, stdout, stderr } = await run(laned, [
          'sh',
          '-c',
          `${background}printf '${mark}'; printf '${mark}' >&2; exit ${index}`,
        ]);
        expect([exitCode, stdout.toString().replaceAll(mark, ''), stderr.toString()]).toEqual([index, '', mark]);
        if (index % 4 === 0) await sleep(20);
        if (index === 30) await sleep(2_500);
      }
      laned.close();
    },
  );
}
