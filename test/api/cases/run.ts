import { expect } from 'vitest';
import { ended, refused, whole } from '../reading.ts';
import type { Suite } from '../suite.ts';

export function runCases(suite: Suite): void {
  resultCases(suite);
  inputCases(suite);
  endCases(suite);
}

function resultCases(suite: Suite): void {
  suite.test('run.short', 'is the short form of execs.run', async (place) => {
    const { exit, stdout } = await place.agent.run({ taskId: place.task, command: ['echo', 'hi'] });
    expect([exit, stdout]).toMatchObject([ended(0), whole('hi\n')]);
  });

  suite.test('run.handle', 'is a verb of the handle of its task, which refuses another one', async (place) => {
    const handle = place.agent.task(place.task);
    const { stdout } = await handle.run({ command: ['echo', 'hi'] });
    expect(stdout).toEqual((await place.agent.run({ task: place.task, command: ['echo', 'hi'] })).stdout);
    const { sandbox } = await handle.sandboxes.create();
    expect([handle.id, sandbox.taskId]).toEqual([place.task, place.task]);
    expect((await handle.sandboxes.get()).id).toBe(sandbox.id);
    const path = `${sandbox.spec.cwd}/by-handle`;
    await handle.files.write({ path, bytes: 'kept' });
    expect(Buffer.from((await handle.files.read({ path })).bytes).toString()).toBe('kept');
    const other: object = { command: ['true'], task: 'another' };
    await refused(handle.run(Object.assign({ command: ['true'] as const }, other)), 'invalid_argument');
    expect(Object.keys(handle.sandboxes)).not.toContain('gc');
  });

  for (const code of [0, 1, 42, 126, 127, 255])
    suite.placeTest(`execs.run.exit-${code}`, `says that a command ended with ${code}`, async (place) => {
      const { exit } = await place.agent.execs.run({ taskId: place.task, command: ['sh', '-c', `exit ${code}`] });
      expect(exit).toMatchObject({ ...ended(code), backgroundOpen: false, survivors: null });
    });

  for (const signal of ['SIGTERM', 'SIGKILL'])
    suite.placeTest(
      `execs.run.${signal.toLowerCase()}`,
      `says that ${signal} ended a command, as far as the place tells`,
      async (place) => {
        const command = ['sh', '-c', `kill -${signal.slice(3)} $$; sleep 5`] as const;
        const { exit } = await place.agent.execs.run({ taskId: place.task, command: [...command] });
        expect([exit.signal, exit.signalGuessed]).toEqual([signal, exit.reason === 'exited']);
        expect(exit.exitCode).toBe(signal === 'SIGKILL' ? 137 : 143);
      },
    );

  suite.placeTest(
    'execs.run.streams',
    'gives both streams apart, with their sizes, and proves that they are complete',
    async (place) => {
      const command = ['sh', '-c', 'echo out; echo error >&2; echo more'] as const;
      const { exit, stdout, stderr } = await place.agent.execs.run({ taskId: place.task, command: [...command] });
      expect([stdout, stderr]).toMatchObject([whole('out\nmore\n'), whole('error\n')]);
      expect(exit.stdout).toEqual({ bytes: 9, truncated: false, complete: true });
      expect(exit.stderr).toEqual({ bytes: 6, truncated: false, complete: true });
      expect(exit.durationMs).toBeGreaterThanOrEqual(0);
    },
  );

  suite.placeTest('execs.run.where', 'says where the command ran, and under which id', async (place) => {
    const { id } = await place.agent.sandboxes.get(place.task);
    const { execId, where } = await place.agent.execs.run({ taskId: place.task, command: ['true'] });
    const { backend } = place.subject;
    expect(where).toMatchObject({ backend, taskId: place.task, sandboxId: id, recreated: false });
    expect(execId).toMatch(/^exec_[A-Za-z0-9_-]+$/);
  });

  suite.placeTest('execs.run.arguments', 'passes every argument on as it is', async (place) => {
    const words = ['', ' ', '$HOME', '`id`', '"', "'", 'a\nb', '-n', '\\', '*', 'é世界😀', '\t'];
    const { stdout } = await place.agent.execs.run({ taskId: place.task, command: ['printf', '<%s>', ...words] });
    expect(stdout.text).toBe(words.map((word) => `<${word}>`).join(''));
  });

  suite.placeTest('execs.run.environment', 'sets variables for this command alone, as they are', async (place) => {
    const env = { GREETING: 'a "b" $c\nd', EMPTY: '' };
    const say = 'printf "%s|%s|%s" "$GREETING" "${EMPTY-unset}" "${OTHER-unset}"';
    expect((await place.sh(say, { env })).stdout.text).toBe('a "b" $c\nd||unset');
    expect((await place.sh(say)).stdout.text).toBe('|unset|unset');
    expect((await place.agent.execs.run({ taskId: place.task, command: ['true'], env })).exit.exitCode).toBe(0);
  });

  suite.test('execs.run.bad-environment', 'refuses a variable that has no name', async (place) => {
    const request = { taskId: place.task, command: ['true'] as [string], env: { '': 'x' } };
    await refused(place.agent.execs.run(request), 'invalid_argument');
  });

  suite.placeTest('execs.run.cwd', 'starts where it is asked to', async (place) => {
    const { stdout } = await place.agent.execs.run({ taskId: place.task, command: ['pwd'], cwd: '/usr' });
    expect(stdout.text).toBe('/usr\n');
  });

  suite.placeTest('execs.run.cwd-missing', 'does not run where there is no such directory', async (place) => {
    const request = { taskId: place.task, command: ['echo', 'ran'] as [string, string], cwd: '/no/such/directory' };
    await refused(place.agent.execs.run(request), 'invalid_argument');
  });

  suite.placeTest('execs.run.missing-program', 'says by 127 that there is no such program', async (place) => {
    const { exit, stderr } = await place.agent.execs.run({ taskId: place.task, command: ['no-such-program-here'] });
    expect(exit).toMatchObject(ended(127));
    expect([stderr.text, exit.stderr.bytes]).toEqual([
      'caisson: the program no-such-program-here was not found\n',
      stderr.bytes,
    ]);
  });

  suite.placeTest('execs.run.not-executable', 'says by 126 that a file is no program', async (place) => {
    const file = `${await place.directory()}/plain`;
    await place.sh(`echo 'echo ran' >${file}; chmod 644 ${file}`);
    const { exit, stdout } = await place.agent.execs.run({ taskId: place.task, command: [file] });
    expect([exit.exitCode, stdout.text]).toEqual([126, '']);
  });

  suite.placeTest('execs.run.not-utf8', 'counts the bytes of what is no text, and keeps it readable', async (place) => {
    const command = ['printf', String.raw`a\377\000b`] as [string, ...string[]];
    const { stdout, exit } = await place.agent.execs.run({ taskId: place.task, command });
    expect([stdout.text, stdout.bytes, exit.stdout.bytes]).toEqual(['a\ufffd\0b', 4, 4]);
  });

  suite.placeTest(
    'execs.run.kept',
    'keeps head and tail of much output, and says where the rest is missing',
    async (place) => {
      const text = 'i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i+1)); done';
      const { stdout, exit } = await place.agent.execs.run({ taskId: place.task, command: ['sh', '-c', text] });
      const all = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join('');
      const [cut, goesOn] = [stdout.cutAt ?? 0, stdout.cutTo ?? 0];
      const tail = stdout.text.slice(goesOn);
      expect(stdout.text.slice(cut, goesOn)).toBe(`\n[... ${stdout.omittedBytes} bytes are left out here ...]\n`);
      expect([stdout.bytes, stdout.truncated, exit.stdout.truncated]).toEqual([all.length, true, true]);
      expect([all.startsWith(stdout.text.slice(0, cut)), all.endsWith(tail), cut > 0, tail.length > 0]).toEqual([
        ...[true, true, true, true],
      ]);
      expect(cut + tail.length + stdout.omittedBytes).toBe(all.length);
      expect(cut + tail.length).toBeLessThanOrEqual(65_536);
    },
  );

  suite.test('execs.run.redacted', 'replaces the value of a secret in its output, and counts it', async (place) => {
    const env = { MY_API_KEY: 'a-value-to-hide' };
    const command = ['sh', '-c', 'echo "<$MY_API_KEY>"'] as [string, ...string[]];
    const { stdout, exit } = await place.agent.execs.run({ taskId: place.task, command, env });
    expect([stdout.text, exit.redactions]).toEqual([expect.stringMatching(/^<\[REDACTED:\w+\]>\n$/), 1]);
  });

  suite.test('execs.run.noted', 'says in the exit how many pieces were replaced', async (place) => {
    const env = { MY_API_KEY: 'a-value-to-hide' };
    const command = ['sh', '-c', 'echo "$MY_API_KEY $MY_API_KEY"'] as [string, ...string[]];
    const { exit } = await place.agent.execs.run({ taskId: place.task, command, env });
    expect(exit).toMatchObject({
      redactions: 2,
      notes: [expect.stringMatching(/^2 pieces of its output were replaced/)],
    });
  });

  suite.test('execs.run.callbacks', 'hands output to callbacks while it comes, and gives the result', async (place) => {
    const flag = `${await place.directory()}/go`;
    const said: string[] = [];
    const onStdout = async (bytes: Uint8Array): Promise<void> => {
      said.push(Buffer.from(bytes).toString());
      if (said.length === 1) await place.sh(`: >${flag}`);
    };
    const text = `echo first; until [ -e ${flag} ]; do sleep 0.05; done; echo last; exit 3`;
    const request = { taskId: place.task, command: ['sh', '-c', text] as [string, ...string[]], timeoutMs: 60_000 };
    const { exit, stdout } = await place.agent.execs.run(request, { onStdout });
    expect([exit, stdout.text, said.join('')]).toMatchObject([
      { ...ended(3), notes: [] },
      'first\nlast\n',
      'first\nlast\n',
    ]);
  });

  suite.placeTest('execs.run.at-once', 'runs eight commands of one task at the same time', async (place) => {
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        place.agent.execs.run({ taskId: place.task, command: ['sh', '-c', `sleep 0.2; echo ${index}`] }),
      ),
    );
    expect(results.map(({ stdout }) => stdout.text)).toEqual(Array.from({ length: 8 }, (_, index) => `${index}\n`));
    expect(new Set(results.map(({ execId }) => execId)).size).toBe(8);
  });

  suite.placeTest('execs.run.ephemeral', 'removes the sandbox of a command that names no task', async (place) => {
    const { where, stdout } = await place.agent.execs.run({ command: ['echo', 'once'] });
    expect(stdout.text).toBe('once\n');
    await expect
      .poll(async () => (await place.agent.sandboxes.list({ limit: 1000 })).items.map(({ id }) => id), {
        timeout: 20_000,
      })
      .not.toContain(where.sandboxId);
  });
}

function inputCases(suite: Suite): void {
  const inputs: readonly (readonly [name: string, about: string, input: string | Uint8Array])[] = [
    ['text', 'a text', 'héllo\nthere'],
    ['empty', 'nothing', ''],
    ['bytes', 'bytes that are no text', new Uint8Array([0, 255, 10, 13, 0])],
    ['large', '3 MiB', new Uint8Array(3 * 2 ** 20).fill(120)],
  ];
  for (const [name, about, input] of inputs)
    suite.test(
      `execs.run.input-${name}`,
      `gives a command ${about} as its input, and then end of file`,
      async (place) => {
        const { stdout, exit } = await place.agent.execs.run({ taskId: place.task, command: ['cksum'], input });
        const file = `${await place.directory()}/input`;
        await place.agent.files.write({ task: place.task, path: file, bytes: input });
        expect([exit.exitCode, stdout.text]).toEqual([0, (await place.sh(`cksum <${file}`)).stdout.text]);
      },
    );

  suite.placeTest('execs.start.input-bytes', 'gives a command that is followed bytes as its input', async (place) => {
    const input = new Uint8Array([0, 255, 10, 128]);
    const running = await place.agent.execs.start({ task: place.task, command: ['cksum'], input });
    running.ignore();
    expect(await running.exit).toMatchObject({ exitCode: 0 });
    const same = await place.agent.execs.run({ task: place.task, command: ['cksum'], input });
    const written: Uint8Array[] = [];
    for await (const { event } of place.agent.execs.logs(running.id))
      if (event.type === 'stdout') written.push(event.bytes);
    expect(Buffer.concat(written).toString()).toBe(same.stdout.text);
  });

  suite.placeTest('execs.run.input-absent', 'gives end of file at once where there is no input', async (place) => {
    const { exit, stdout } = await place.agent.execs.run({ taskId: place.task, command: ['cat'] });
    expect([exit, stdout]).toMatchObject([ended(0), whole('')]);
  });

  suite.placeTest('execs.run.input-unread', 'ends when the command does not read its input', async (place) => {
    const request = { taskId: place.task, command: ['sh', '-c', 'exit 3'] as [string, ...string[]] };
    const { exit } = await place.agent.execs.run({ ...request, input: 'x'.repeat(2 ** 20) });
    expect(exit.exitCode).toBe(3);
  });
}

function endCases(suite: Suite): void {
  suite.placeTest('execs.run.timeout', 'kills a command at its deadline, and keeps what it wrote', async (place) => {
    const command = ['sh', '-c', 'echo begun; sleep 60'] as [string, ...string[]];
    const { exit, stdout } = await place.agent.execs.run({ taskId: place.task, command, timeoutMs: 700 });
    expect(exit).toMatchObject({ reason: 'timed-out', survivors: [] });
    expect([stdout.text, exit.durationMs >= 600, exit.durationMs < 20_000]).toEqual(['begun\n', true, true]);
  });

  suite.placeTest('execs.run.output-limit', 'kills a command that writes more than it may', async (place) => {
    const command = ['sh', '-c', 'while :; do echo 0123456789; done'] as [string, ...string[]];
    const { exit } = await place.agent.execs.run({ taskId: place.task, command, outputLimitBytes: 10_000 });
    expect([exit.reason, exit.stdout.bytes >= 10_000]).toEqual(['output-limit', true]);
  });

  suite.placeTest(
    'execs.run.background',
    'does not wait for a process in the background, and says that it is there',
    async (place) => {
      const command = ['sh', '-c', 'sleep 3 & echo done'] as [string, ...string[]];
      const { exit, stdout } = await place.agent.execs.run({ taskId: place.task, command });
      expect([stdout.text, exit.backgroundOpen, exit.durationMs < 2500]).toEqual(['done\n', true, true]);
    },
  );

  suite.placeTest('execs.run.abort', 'kills the command when its signal fires, and says so', async (place) => {
    const command = ['sh', '-c', 'echo begun; sleep 60'] as [string, ...string[]];
    const options = { signal: AbortSignal.timeout(700) };
    const { exit, stdout } = await place.agent.execs.run({ taskId: place.task, command }, options);
    expect([exit.reason, stdout.text]).toEqual(['canceled', 'begun\n']);
  });

  suite.test('execs.run.aborted', 'runs nothing when its signal has fired already', async (place) => {
    const file = `${await place.directory()}/ran`;
    const request = { taskId: place.task, command: ['touch', file] as [string, string] };
    await refused(place.agent.execs.run(request, { signal: AbortSignal.abort() }), 'canceled');
    expect((await place.sh(`test -e ${file}`)).exit.exitCode).toBe(1);
  });
}
