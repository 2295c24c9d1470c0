import { expect } from 'vitest';
import { calling, ended, refused, whole } from '../reading.ts';
import type { Suite } from '../suite.ts';

export function runIdCases(suite: Suite): void {
  idCases(suite);
  refusalCases(suite);
  codeCases(suite);
}

function idCases(suite: Suite): void {
  suite.test(
    'execs.run.id',
    'runs nothing a second time under an id that it knows, and gives the same result',
    async (place) => {
      const file = `${await place.directory()}/count`;
      const command = ['sh', '-c', `echo x >>${file}; echo ran; exit 4`] as [string, ...string[]];
      const request = { taskId: place.task, execId: `exec_${place.name('same')}`, command };
      const [first, second] = [await place.agent.execs.run(request), await place.other.execs.run(request)];
      expect(first).toMatchObject({ execId: request.execId, exit: ended(4), stdout: whole('ran\n') });
      expect(second).toMatchObject({ execId: request.execId, exit: first.exit, stdout: whole('ran\n') });
      expect((await place.sh(`cat ${file}`)).stdout.text).toBe('x\n');
    },
  );

  suite.test('execs.run.id-conflict', 'refuses another command under an id that is used', async (place) => {
    const request = { taskId: place.task, execId: `exec_${place.name('used')}` };
    await place.agent.execs.run({ ...request, command: ['true'] });
    await refused(place.agent.execs.run({ ...request, command: ['false'] }), 'conflict');
  });

  for (const [name, execId] of Object.entries({ prefix: 'mine', empty: 'exec_', long: `exec_${'x'.repeat(65)}` }))
    suite.test(`execs.run.id-${name}`, `refuses the id ${execId.slice(0, 12)}`, async (place) => {
      await refused(place.agent.execs.run({ taskId: place.task, execId, command: ['true'] }), 'invalid_argument');
    });
}

function refusalCases(suite: Suite): void {
  const command = ['true'];
  for (const [name, request] of Object.entries({
    'no-command': { command: [] },
    key: { command, netwrok: 'none' },
    privileged: { command, privileged: true },
    timeout: { command, timeoutMs: 0 },
    'timeout-name': { command, timeoutms: 5 },
    'output-limit': { command, outputLimitBytes: -1 },
    'code-and-command': { command, code: { language: 'bash', text: 'true' } },
    'code-key': { code: { lang: 'bash', text: '' } },
    'code-language': { code: { language: 'cobol', text: '' } },
    cwd: { command, cwd: 'a\0b' },
    argument: { command: ['echo', 'a\0b'] },
  }))
    suite.test(
      `execs.run.bad-${name}`,
      `refuses ${JSON.stringify(request).slice(0, 50)}, and runs nothing`,
      async (place) => {
        const wanted: object = { taskId: place.task, ...request };
        const attempt = calling(place.agent.execs, 'run', wanted);
        await refused(attempt, 'invalid_argument');
      },
    );

  suite.test('execs.run.denied', 'runs nothing that a rule denies', async (place) => {
    const taskId = await place.fresh({}, 'asked');
    await refused(place.agent.execs.run({ taskId, command: ['mkfifo', 'pipe'] }), 'policy_denied');
    expect((await place.agent.run({ taskId, command: ['test', '-e', 'pipe'] })).exit.exitCode).toBe(1);
  });

  suite.test('execs.run.hardline', 'runs nothing that is always refused', async (place) => {
    if (place.subject.isContained) {
      // The container is the boundary: the program is not there, or finds no device.
      const { exit } = await place.agent.execs.run({ taskId: place.task, command: ['mkfs.ext4', '/dev/nothing'] });
      expect(exit.exitCode).not.toBe(0);
    } else
      await refused(
        place.agent.execs.run({ taskId: place.task, command: ['mkfs.ext4', '/dev/nothing'] }),
        'policy_denied',
      );
  });
}

function codeCases(suite: Suite): void {
  suite.placeTest(
    'execs.run.code',
    'runs a program from a directory of its own, which is gone afterwards',
    async (place) => {
      const code = { language: 'bash', text: 'pwd; [[ -t 0 ]]; echo "$? ${BASH_VERSION:+bash}"; exit 5' } as const;
      const { exit, stdout } = await place.agent.execs.run({ taskId: place.task, code });
      const [directory = '', said] = stdout.text.split('\n');
      expect([exit, said]).toMatchObject([ended(5), '1 bash']);
      expect((await place.sh(`test -e ${directory}`)).exit.exitCode).toBe(1);
    },
  );

  suite.test('execs.run.code-text', 'takes a program of any characters', async (place) => {
    const code = { language: 'bash', text: "cat <<'END'\n'\"$x` é世界😀\nEND\n" } as const;
    const { stdout } = await place.agent.execs.run({ taskId: place.task, code });
    expect(stdout).toMatchObject(whole('\'"$x` é世界😀\n'));
  });

  suite.placeTest('execs.start.code', 'streams what a program writes', async (place) => {
    const code = { language: 'bash', text: 'echo one; echo two >&2; exit 6' } as const;
    const running = await place.agent.execs.start({ taskId: place.task, code });
    const [out, error] = await Promise.all([Array.fromAsync(running.stdout), Array.fromAsync(running.stderr)]);
    expect([Buffer.concat(out).toString(), Buffer.concat(error).toString()]).toEqual(['one\n', 'two\n']);
    expect(await running.exit).toMatchObject(ended(6));
  });
}
