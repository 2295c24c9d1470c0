/** What a text defines must not reach the text that runs the session. */
import type { Sandbox } from '../../../src/backend.ts';
import { describe, expect, it } from 'vitest';
import { keptSandbox } from '../kept-sandbox.ts';
import { shells } from '../kill/shells.ts';
import { openSession, say, type ShellOutput } from './shell.ts';
import type { Session } from '../../../src/exec/session/session.ts';

const regular = 'printf read test umask alias type pwd echo cd true false mv'.split(' ');
/** Only bash lets functions have these names. */
const special = '. : eval exec exit export return set shift trap unset continue break readonly'.split(' ');
const ofBash = '[ local builtin declare compgen shopt enable typeset'.split(' ');
const reserved = 'if then else fi while until do done case esac for in { } !'.split(' ');

const said = (out: string, err = ''): ShellOutput => ({ code: 0, out, err });

async function again(session: Session, sandbox: Sandbox): Promise<Session> {
  session.close();
  const next = await openSession(sandbox, 'one');
  expect(next.opened.restored).toBe(true);
  return next.session;
}

describe.each(shells)('a session of %s', { timeout: 30_000 }, (shell) => {
  const isBash = shell === 'bash';
  const names = isBash ? [...regular, ...special, ...ofBash] : regular;

  it.each(names)('goes on, and is kept, when %s is a function that does nothing', async (name) => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    await say(session, 'cd /usr; X="a b"');
    expect(await say(session, `${name}() { /bin/false; }; Y=2`, { E: '1' })).toEqual(said(''));
    expect(await say(session, '/bin/echo "$X" "$Y" "${E-unset}"')).toEqual(said('a b 2 unset\n'));
    expect(await session.look([name])).toMatchObject({
      cwd: '/usr',
      definitions: [{ kind: 'function', name }],
    });
    const next = await again(session, kept.sandbox);
    expect(await say(next, '/bin/echo "$X" "$Y"; /bin/pwd')).toEqual(said('a b 2\n/usr\n'));
    if (isBash) expect((await say(next, `"${name}"`)).code).toBe(1);
    next.close();
  });

  it('goes on, and is kept, when all of them are', async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    await say(session, 'cd /usr; alias hi="/bin/echo hello"; X="it\'s"; umask 027');
    await say(session, names.map((name) => `${name}() { /bin/false; }`).join('\n'));
    expect(await session.look(['pwd'])).toMatchObject({ cwd: '/usr', definitions: [{ kind: 'function' }] });
    expect(await say(session, '/bin/echo "$X"; hi')).toEqual(said("it's\nhello\n"));
    const next = await again(session, kept.sandbox);
    expect(await say(next, '/bin/echo "$X"; hi; /bin/pwd')).toEqual(said("it's\nhello\n/usr\n"));
    expect((await next.look(['printf']))?.definitions).toHaveLength(isBash ? 1 : 0);
    next.close();
  });

  it('goes on, and is kept, when they and reserved words are aliases', async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    await say(session, 'cd /usr; X=1');
    const all = [...names, 'command', ...special, ...reserved].filter((name) => !isBash || /^[a-z]/.test(name));
    for (const name of all.filter((each) => each !== 'alias')) await say(session, `\\alias "${name}=/bin/false"`);
    await say(session, '\\alias alias=/bin/false');
    expect(await say(session, '/bin/echo "$X"', { E: '1', F: '2' })).toEqual(said('1\n'));
    const next = await again(session, kept.sandbox);
    expect(await say(next, '/bin/echo "$X" "${E-unset}"; /bin/pwd', { G: '1' })).toEqual(said('1 unset\n/usr\n'));
    expect((await next.look(['printf']))?.definitions).toMatchObject([{ kind: 'alias', text: '/bin/false' }]);
    expect((await say(next, 'printf x')).code).toBe(1);
    next.close();
  });

  it('tells of a name that it is a function and an alias', async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    await say(session, 'f() { rm "$@"; }; type() { :; }; unalias() { :; }; alias f="f -r" type=: unalias=:');
    expect(await session.look(['f'])).toMatchObject({
      cwd: '/',
      definitions: [
        { kind: 'function', name: 'f' },
        { kind: 'alias', name: 'f', text: 'f -r' },
      ],
    });
    session.close();
  });

  const taken = 'caisson: the function called command is not kept: sessions need that name\n';
  it.each(isBash ? ['', 'unset() { :; }; ', 'unset() { :; }; declare() { :; }; exit() { :; }; '] : [''])(
    'takes a function called command away, and says so (%s)',
    async (more) => {
      using kept = keptSandbox(shell);
      const { session } = await openSession(kept.sandbox, 'one');
      const options = isBash ? 'echo "$BASHOPTS $SHELLOPTS ${POSIXLY_CORRECT-unset}"; ' : 'echo "$-"; ';
      await say(session, 'X=1; alias hi="echo hello"');
      const before = await say(session, options);
      expect(await say(session, `${more}command() { echo "it was $1"; }; command here`)).toEqual(
        said('it was here\n', taken),
      );
      expect(await say(session, options)).toEqual(before);
      expect(await say(session, 'set -- a b; hi; command echo "$X"')).toEqual(said('hello\n1\n'));
      expect((await say(session, 'echo $#')).out).toBe('2\n');
      const next = await again(session, kept.sandbox);
      expect(await say(next, 'command echo "$X"')).toEqual(said('1\n'));
      next.close();
    },
  );

  it('sees a function called command behind an alias', async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    const text = 'alias command=ls type=ls; command() { :; }; type() { :; }; unalias() { :; }';
    expect(await say(session, text)).toEqual(said('', taken));
    expect(await say(session, 'echo here')).toEqual(said('here\n'));
    session.close();
  });

  it('is not misled by IFS, nor by its own names', async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    await say(session, 'A=old; cd /usr');
    await say(session, "IFS='_:0123456789abcdefghijklmnopqrstuvwxyz'; _cz_n=x; _cz_put() { :; }; _cz_save() { :; }");
    expect(await say(session, 'echo "$A $B"', { A: 'new\nline', B: 'b' })).toEqual(said('new\nline b\n'));
    expect(await say(session, 'echo "$A ${B-unset}"')).toEqual(said('old unset\n'));
    expect(await session.look([])).toEqual({ cwd: '/usr', definitions: [] });
    const next = await again(session, kept.sandbox);
    expect(await say(next, 'echo "$A $IFS"; pwd')).toEqual(said('old _:0123456789abcdefghijklmnopqrstuvwxyz\n/usr\n'));
    next.close();
  });

  it('saves its state without the PATH of the caller', async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    await say(session, 'X=1; PATH=/nowhere');
    const next = await again(session, kept.sandbox);
    expect(await say(next, 'echo "$X $PATH"')).toEqual(said('1 /nowhere\n'));
    next.close();
  });
});

describe.each(shells.filter((shell) => shell === 'bash'))('a session of %s alone', { timeout: 30_000 }, (shell) => {
  it('keeps exported functions, those that need an option, and posix mode', async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    await say(session, 'shopt -s extglob');
    await say(
      session,
      'f() { case $1 in @(a|b)) echo "f $1";; esac; }; g() { echo g; }; export -f g; alias ls="ls -l"; set -o posix',
    );
    const next = await again(session, kept.sandbox);
    expect(await say(next, 'f b; bash -c g; alias ls; [ -o posix ] && echo posix')).toEqual(
      said("f b\ng\nls='ls -l'\nposix\n"),
    );
    next.close();
  });

  it('keeps traps of errors, read-only functions, and what is declared of variables without a value', async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    await say(session, "trap 'echo trapped' ERR; r() { :; }; readonly -f r; trap() { :; }; alias eval=echo");
    await say(session, 'declare -A map; declare -i number; export later; BASH_ENV=mine COMP_MINE=2');
    const next = await again(session, kept.sandbox);
    expect(await say(next, 'false; map[a]=1 number=1+1 later=x; declare -p map number later; declare -Fr')).toEqual(
      said('trapped\ndeclare -A map=([a]="1" )\ndeclare -i number="2"\ndeclare -x later="x"\ndeclare -fr r\n'),
    );
    expect(await say(next, 'echo "$BASH_ENV $COMP_MINE"')).toEqual(said('mine 2\n'));
    next.close();
  });

  it.each([
    ['command() { :; }; readonly -f command', 77],
    ['enable -n command', 127],
    ['enable -n printf', 77],
  ] as const)('ends, and is asked to have ended, after %s', async (text, code) => {
    using kept = keptSandbox(shell); // which has no other printf
    const { session } = await openSession(kept.sandbox, 'one');
    await say(session, 'X=1');
    expect((await say(session, text)).code).toBe(code);
    expect(session.hasEnded).toBe(true);
    const next = await again(session, kept.sandbox);
    expect(await say(next, 'echo "$X"')).toEqual(said('1\n'));
    next.close();
  });
});
