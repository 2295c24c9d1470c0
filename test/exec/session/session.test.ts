import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { watchExec } from '../../../src/exec/start.ts';
import { keptSandbox } from '../kept-sandbox.ts';
import { shells } from '../kill/shells.ts';
import { requestFor, where } from '../requests.ts';
import { openSession, say } from './shell.ts';

describe.each(shells)('a session of %s', (shell) => {
  const isBash = shell === 'bash';
  const always = isBash ? [] : ['functions', 'read-only marks', 'traps'];

  it('keeps directory, variables, functions, aliases, options and parameters', { timeout: 30_000 }, async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    await say(
      session,
      'cd /usr; X="a b"; export Y=2; f() { echo "f $X"; }; alias hi="echo hello"; set -- 1 2 3; false',
    );
    expect(await say(session, 'echo $?; pwd; f; hi; sh -c "echo \\$Y"; echo $#')).toEqual({
      code: 0,
      out: '1\n/usr\nf a b\nhello\n2\n3\n',
      err: '',
    });
    await say(session, 'set -u -C');
    expect((await say(session, 'echo "[$-]"')).out).toMatch(/\[[^\]]*C[^\]]*u|\[[^\]]*u[^\]]*C/);
    session.close();
  });

  it('hides itself: no descriptor and no nonce of its own', { timeout: 30_000 }, async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    expect(
      (
        await say(
          session,
          'for n in 3 4 5 6 7 8 9; do [ ! -e /proc/self/fd/$n ] || ls -l /proc/$$/fd/$n | grep pipe; done; ls /proc/self/fd | grep -c "[6789]"',
        )
      ).out,
    ).toBe('0\n');
    session.close();
  });

  it('traces each later text as the shell does, and nothing of its own', { timeout: 30_000 }, async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    const traced = async (text: string): Promise<string> => (await say(session, text)).err.replaceAll(/^\++ /gm, '+ ');
    expect(await traced('set -x; echo one')).toBe('+ echo one\n');
    expect(await traced('(exit 3)')).toBe('+ exit 3\n');
    expect(await say(session, 'echo $?')).toMatchObject({ out: '3\n' });
    await session.look(['ls']);
    await say(session, 'if )');
    expect(await traced('x=1')).toBe('+ x=1\n');
    session.close();
    const { session: next } = await openSession(kept.sandbox, 'one');
    expect((await say(next, 'echo anew')).err).toMatch(/^\++ echo anew\n$/);
    expect((await say(next, 'set +x')).err).toMatch(/^\++ set \+x\n$/);
    expect((await say(next, 'echo off')).err).toBe('');
    next.close();
  });

  it('shows its lines after `set -v` where the shell shows those of a string', { timeout: 30_000 }, async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    const shown = (text: string): string => (isBash ? text : '');
    await say(session, 'set -v');
    for (const text of ['echo one', 'for i in 1 2; do\n:\ndone', 'case $- in *v*) echo on ;; esac'])
      expect((await say(session, text)).err).toBe(shown(`${text}\n`));
    if (isBash) await say(session, "trap 'echo failed' ERR");
    expect((await say(session, 'echo first\necho second')).err).toBe(shown('echo first\necho second\n'));
    expect(await say(session, 'set +v; case $- in *v*) echo on ;; esac')).toMatchObject({ out: '' });
    expect((await say(session, 'echo off')).err).toBe('');
    session.close();
  });

  it('tells where it stands, and what names mean in it (CP-11)', { timeout: 30_000 }, async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    expect(await session.look(['f', 'ls'])).toEqual({ cwd: '/', definitions: [] });
    await say(
      session,
      'cd /proc/self/root/usr; f() { rm "$@"; }; alias x="rm -r" y="it\'s"; IFS=:; set -eu; set -- 1 2',
    );
    const text = isBash ? expect.stringMatching(/^\{ *\n\s*rm "\$@"\n\}$/) : null;
    const [f, x, y] = [
      { kind: 'function', name: 'f', text },
      { kind: 'alias', name: 'x', text: 'rm -r' },
      { kind: 'alias', name: 'y', text: "it's" },
    ];
    expect(await session.look(['f', 'x', 'y', 'ls', "it's\n", 'g$(h)'])).toEqual({
      cwd: '/usr',
      definitions: [f, x, y],
    });
    // Nothing of it stays behind, and the state of the session is as before.
    expect((await say(session, 'echo "$# $? ${_cz_s-none}"')).out).toBe('2 0 none\n');
    session.close();
  });

  const lives: readonly (readonly [string, number])[] = [
    ['if', 2],
    ["echo 'x", 2],
    ['for i in 1 2; do continue 9; done', 0],
    ['nonsense-program', 127],
    ['(exit 9)', 9],
  ];
  it.each(lives)('lives on after %j', { timeout: 30_000 }, async (line, code) => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    const { code: reported } = await say(session, line);
    expect(line === 'if' || line.startsWith("echo '") ? [1, 2].includes(reported ?? 0) : reported === code).toBe(true);
    expect((await say(session, 'echo here')).out).toBe('here\n');
    session.close();
  });

  const ends: readonly (readonly [string, readonly (number | null)[]])[] = [
    ['exit 7', [7]],
    ['exec sh -c "exit 0"', [0]],
    ['kill -9 $$', [137, null]],
    ['trap "echo bye" EXIT; exit 3', [3]],
    ['set -e; false', [1]],
    ['break 9', [77]],
    ['set -n; echo never', [0]],
  ];
  it.each(ends)(
    'reports that the line %j ended the shell, and is restored from its snapshot',
    { timeout: 30_000 },
    async (line, codes) => {
      using kept = keptSandbox(shell);
      const { session } = await openSession(kept.sandbox, 'one');
      await say(session, 'X="before \'$(echo never)\'"');
      const ended = await say(session, line);
      expect(codes).toContain(ended.code);
      if (line.includes('bye')) expect(ended.out).toBe('bye\n');
      expect(session.hasEnded).toBe(true);
      const next = await openSession(kept.sandbox, 'one');
      expect(next.opened).toMatchObject({ restored: true, shell: isBash ? 'bash' : 'sh' });
      expect((await say(next.session, 'echo "$X"')).out).toBe("before 'never'\n");
      next.session.close();
    },
  );

  it('restores values that look like code without running them, under every option', { timeout: 30_000 }, async () => {
    using kept = keptSandbox(shell);
    const first = await openSession(kept.sandbox, 'one');
    const value = 'a\'b"c\n$(touch pwned) `touch pwned`; touch pwned\nexport P=1 \\ é';
    await say(
      first.session,
      'cd "$HOME"; V=$GIVEN; export W=$GIVEN; alias q="echo \'x"; alias ok="echo fine"; umask 027; set -C; g() { echo g; }',
      { GIVEN: value },
    );
    await say(first.session, 'echo second >f; true');
    first.session.close();
    const { session } = await openSession(kept.sandbox, 'one');
    expect((await say(session, 'printf %s "$V"')).out).toBe(value);
    expect((await say(session, 'env | grep -c "^W="; umask; pwd; echo "${GIVEN-unset} ${P-unset}"; ok')).out).toBe(
      `1\n0027\n${kept.home}\nunset unset\nfine\n`,
    );
    expect((await say(session, 'g')).out).toBe(isBash ? 'g\n' : '');
    expect(readdirSync(kept.home)).not.toContain('pwned');
    session.close();
    const directory = join(kept.home, '.local/state/caisson/sessions');
    expect(readdirSync(directory).filter((name) => name.endsWith('.new'))).toEqual([]);
    for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(directory, `one.${isBash ? 'bash' : 'sh'}`), 'utf8')).not.toContain('GIVEN');
  });

  it('restores where `cd -` leads, and `set -e`', { timeout: 30_000 }, async () => {
    using kept = keptSandbox(shell);
    const first = await openSession(kept.sandbox, 'one');
    await say(first.session, 'cd /usr; cd /tmp; set -e');
    first.session.close();
    const { session } = await openSession(kept.sandbox, 'one');
    expect((await say(session, 'cd -; echo "$-"')).out).toMatch(/^\/usr\n\S*e/);
    session.close();
  });

  it('says so when the directory of its state is gone', { timeout: 30_000 }, async () => {
    using kept = keptSandbox(shell);
    const first = await openSession(kept.sandbox, 'one');
    expect(first.opened).toMatchObject({ restored: false, lost: [] });
    await say(first.session, 'mkdir "$HOME/gone"; cd "$HOME/gone"; X=1');
    first.session.close();
    const second = await openSession(kept.sandbox, 'one');
    expect(second.opened).toMatchObject({ restored: true, lost: always });
    await say(second.session, 'rm -r "$HOME/gone"');
    second.session.close();
    const { session, opened } = await openSession(kept.sandbox, 'one');
    expect(opened).toMatchObject({ restored: true, lost: [...always, 'its directory, which is gone'] });
    expect((await say(session, 'echo "$X"')).out).toBe('1\n');
    session.close();
  });

  it(
    'lives on where its state is larger than a file may be, and tells that the state is old',
    { timeout: 30_000 },
    async () => {
      using kept = keptSandbox(shell);
      const first = await openSession(kept.sandbox, 'one');
      await say(first.session, 'X=old; LARGE=$GIVEN', { GIVEN: 'x'.repeat(5000) });
      expect(await say(first.session, 'X=new; ulimit -f 1')).toEqual({ code: 0, out: '', err: '' });
      expect((await say(first.session, 'echo $X; head -c 5000 /dev/zero >"$HOME/big"')).code).toBe(153);
      first.session.close();
      const second = await openSession(kept.sandbox, 'one');
      expect(second.opened).toMatchObject({ restored: true, lost: [...always, 'what its last texts changed'] });
      expect((await say(second.session, 'echo $X')).out).toBe('old\n');
      second.session.close();
      const third = await openSession(kept.sandbox, 'one');
      expect(third.opened).toMatchObject({ restored: true, lost: always });
      third.session.close();
    },
  );

  it('ends with its shell while a process holds its output, and says which', { timeout: 30_000 }, async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    const process = session.run('(sleep 0.1; kill $$) & sleep 2', {});
    process.stdout.resume();
    process.stderr.resume();
    expect(await process.wait()).toMatchObject({ signal: 'SIGTERM' });
    expect(await process.outputs()).toMatchObject({ is: 'held' });
  });

  it('gives a variable of one call back its value', { timeout: 30_000 }, async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    await say(session, 'A=old');
    expect((await say(session, 'echo "$A $B"', { A: 'new\nline', B: 'b' })).out).toBe('new\nline b\n');
    expect((await say(session, 'echo "$A ${B-unset}"')).out).toBe('old unset\n');
    session.close();
  });

  it.each([
    'sleep 30; echo BAD',
    'while :; do sleep 30; done; echo BAD',
    'x=$(sleep 30); echo BAD',
    '(sleep 30); echo BAD',
    'f() { sleep 30; echo BAD; }; f; echo BAD',
    'while :; do :; done; echo BAD',
  ])(
    'runs nothing more of %j when it is ended, and is there or reported to be gone',
    { timeout: 120_000 },
    async (line) => {
      using kept = keptSandbox(shell);
      const { session } = await openSession(kept.sandbox, 'one');
      await say(session, 'X=kept');
      const request = requestFor(['session'], { timeoutMs: 300 });
      const process = session.run(line, { CAISSON_EXEC: request.execId });
      const execution = watchExec(process, {
        sandbox: session.guarded(kept.sandbox),
        request,
        context: { where, recorder: null },
      });
      let out = '';
      execution.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      execution.ignore('stderr');
      expect((await execution.exit).reason).toBe('timed-out');
      expect(out).toBe('');
      expect(session.hasEnded).toBe(isBash);
      const next = session.hasEnded ? (await openSession(kept.sandbox, 'one')).session : session;
      expect((await say(next, 'echo $X')).out).toBe('kept\n');
      next.close();
    },
  );
});
