/** What a session has after its shell was closed and another one took it up: all of it, or a word about the rest. */
import type { Sandbox } from '../../../src/backend.ts';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/exec/session/session.ts';
import { keptSandbox } from '../kept-sandbox.ts';
import { shells } from '../kill/shells.ts';
import { openSession, say, type ShellOutput } from './shell.ts';

const said = (out: string, err = ''): ShellOutput => ({ code: 0, out, err });

async function again(session: Session, sandbox: Sandbox): Promise<{ next: Session; lost: readonly string[] }> {
  session.close();
  const { session: next, opened } = await openSession(sandbox, 'one');
  expect(opened.restored).toBe(true);
  return { next, lost: opened.lost };
}

describe.each(shells)('a session of %s that is taken up again', { timeout: 30_000 }, (shell) => {
  const isBash = shell === 'bash';
  const always = isBash ? [] : ['functions', 'read-only marks', 'traps'];

  /** Says the texts, each in one shell, and what is lost of them to the next. */
  async function after(texts: readonly string[]): Promise<{ next: Session; lost: readonly string[] } & Disposable> {
    const kept = keptSandbox(shell);
    const { session, opened } = await openSession(kept.sandbox, 'one');
    expect(opened.lost).toEqual([]);
    for (const text of texts) expect((await say(session, text)).err).toBe('');
    const { next, lost } = await again(session, kept.sandbox);
    expect(lost.slice(0, always.length)).toEqual(always);
    const dispose = (): void => {
      next.close();
      kept[Symbol.dispose]();
    };
    return { next, lost: lost.slice(always.length), [Symbol.dispose]: dispose };
  }

  it('has its positional parameters, whatever is in them', async () => {
    const kept = keptSandbox(shell);
    const values = [
      '',
      'a b',
      "it's '' ",
      'x\ny\n',
      '$(touch "$HOME/pwned")',
      '\\n',
      '-n',
      '*',
      "'; touch $HOME/pwned; '",
    ];
    const given = Object.fromEntries(values.map((value, at) => [`V${at}`, value]));
    const { session } = await openSession(kept.sandbox, 'one');
    await say(session, `set -- ${values.map((_, at) => `"$V${at}"`).join(' ')}; set -u; IFS=0123456789`, given);
    for (let current = session, round = 0; round < 2; round += 1) {
      const { next, lost } = await again(current, kept.sandbox);
      expect(lost).toEqual(always);
      expect((await say(next, 'printf "<%s>" "$@"')).out).toBe(values.map((value) => `<${value}>`).join(''));
      current = next;
      if (round === 0) continue;
      await say(next, 'shift "$#"');
      const { next: last } = await again(next, kept.sandbox);
      expect(await say(last, 'echo "$#"; ls "$HOME" | grep pwned || :')).toEqual(said('0\n'));
      last.close();
    }
    kept[Symbol.dispose]();
  });

  it('tells that it is without them, when they are very many or very long', async () => {
    const many = 'i=0; while [ $i -lt 1000 ]; do set -- "$@" x; i=$((i+1)); done';
    const long = 'x=0123456789; for i in 1 2 3 4; do x=$x$x$x$x$x$x$x$x$x$x; done; set -- "$x"';
    for (const text of [many, long]) {
      using taken = await after([text]);
      expect(taken.lost).toEqual(['positional parameters']);
      expect((await say(taken.next, 'echo $#')).out).toBe('0\n');
    }
  });

  it('tells of limits, redirections and jobs, which are gone, and only then', async () => {
    const words = ['limits set by ulimit', 'redirections set by exec', 'background jobs'];
    const cases = ['ulimit -S -n 100', 'exec 3>/dev/null', 'sleep 20 >/dev/null 2>&1 &'];
    for (const [at, text] of cases.entries()) {
      using taken = await after(['X=1', text, 'true']);
      expect(taken.lost).toEqual([words[at]]);
      expect(await say(taken.next, at === 2 ? 'echo "${!-}"' : 'echo')).toEqual(said('\n'));
    }
    for (const text of ['exec >/dev/null', 'exec 2>&1', 'exec </dev/zero']) {
      using taken = await after([text]);
      expect(taken.lost).toEqual([words[1]]);
    }
    using none = await after(['ulimit -n >/dev/null; exec 3>/dev/null; exec 3>&-; sleep 0 & wait', 'true', 'true']);
    expect(none.lost).toEqual([]);
  });

  it('has the status of its last text', async () => {
    using taken = await after(['(exit 5)']);
    expect(await say(taken.next, 'echo $?')).toEqual(said('5\n'));
  });

  it('is where it was, also without PWD, and whatever that was set to', async () => {
    for (const text of ['unset PWD OLDPWD; set -u', 'PWD=/tmp']) {
      using taken = await after([`cd /usr; ${text}`, 'true']);
      expect(await say(taken.next, 'pwd')).toEqual(said('/usr\n'));
    }
  });

  it('does not have what it took out of the environment', async () => {
    using taken = await after(['unset HOME OLDPWD; OPTIND=3']);
    expect(await say(taken.next, 'echo "${HOME-none} ${OLDPWD-none} $OPTIND"')).toEqual(said('none none 3\n'));
  });

  it('can be taken up again when its OPTIND is no number', async () => {
    const kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    await say(session, 'X=1');
    await say(session, "export OPTIND='['");
    const { next } = await again(session, kept.sandbox);
    expect(await say(next, 'echo "$X"')).toEqual(said('1\n'));
    next.close();
    kept[Symbol.dispose]();
  });

  it('has its aliases, with quotes and newlines in them', async () => {
    const text = `alias q="echo 'it''s'" m='echo 1\necho 2' s="'" e='' b='a\\b' d='"x"'\nalias z="x\ny='echo z'"`;
    using taken = await after([`${text}; alias >"$HOME/before"`]);
    expect(await say(taken.next, 'alias >"$HOME/after"; cat "$HOME/after"')).toMatchObject({ err: '' });
    expect(await say(taken.next, '[ "$(cat "$HOME/before")" = "$(cat "$HOME/after")" ] && q')).toEqual(said('its\n'));
    expect((await say(taken.next, 'm')).out).toBe('1\n2\n');
  });

  it.each([' \t\n', '', '.', '#', ' #.', '_czX=', 'MS', '0123456789', 'X', "'"])(
    'goes on with a read-only IFS (%j)',
    async (value) => {
      const kept = keptSandbox(shell);
      const { session } = await openSession(kept.sandbox, 'one');
      await say(session, 'cd /usr; IFS=$GIVEN; readonly IFS', { GIVEN: value });
      expect(await say(session, 'f() { echo f; }; X="a b" XX=2; echo "$#"; alias ll="ls -l"')).toEqual(said('0\n'));
      expect(await say(session, 'echo "$X$E"', { E: 'e' })).toEqual(said('a be\n'));
      expect(await session.look(['f', 'll', 'g'])).toMatchObject({
        cwd: '/usr',
        definitions: [{ kind: 'function' }, { kind: 'alias', text: 'ls -l' }],
      });
      const { next, lost } = await again(session, kept.sandbox);
      expect(lost).toEqual(always);
      expect(await say(next, `echo "$X$XX"; pwd; printf '[%s]' "$IFS"${isBash ? '; f' : ''}`)).toEqual(
        said(`a b2\n/usr\n[${value}]${isBash ? 'f\n' : ''}`),
      );
      next.close();
      kept[Symbol.dispose]();
    },
  );
});

describe.each(shells.filter((shell) => shell === 'bash'))('a session of %s', { timeout: 30_000 }, (shell) => {
  it('has nothing of Caisson in it where the last part of a pipe is run by the shell itself', async () => {
    using kept = keptSandbox(shell);
    const { session } = await openSession(kept.sandbox, 'one');
    await say(session, 'set -o posix; shopt -s lastpipe; f() { :; }; X=$(declare -p)');
    expect((await say(session, 'shopt -oq posix && echo posix; echo "${_cz_a-none} ${_cz_s-none}"')).out).toBe(
      'posix\nnone none\n',
    );
    const { next } = await again(session, kept.sandbox);
    expect((await say(next, 'shopt -oq posix && shopt -q lastpipe && type -t f')).out).toBe('function\n');
    next.close();
  });

  async function kept(texts: readonly string[], probe: string): Promise<readonly string[]> {
    using place = keptSandbox(shell);
    const { session } = await openSession(place.sandbox, 'one');
    for (const text of texts) expect((await say(session, text)).err).toBe('');
    const before = await say(session, probe);
    const { next, lost } = await again(session, place.sandbox);
    expect(await say(next, probe)).toEqual(before);
    next.close();
    return lost;
  }

  it('has its stack of directories again, or tells that it is too high', async () => {
    const text = `cd /usr; mkdir -p "$HOME/it's
here"; pushd /tmp >/dev/null; pushd "$HOME/it's
here" >/dev/null; pushd -n -- +1x >/dev/null; pushd() { :; }`;
    expect(await kept([text], 'pwd; printf "<%s>" "${DIRSTACK[@]}"')).toEqual([]);
    const high = 'for ((i = 0; i < 1000; i++)); do pushd -n /x >/dev/null; done';
    expect(await kept([high], 'pwd')).toEqual(['the stack of directories']);
  });

  it('has what else differs from a new shell', async () => {
    const texts = [
      "trap 'echo ret' RETURN; trap '' WINCH; enable -n times; export HOSTNAME; MACHTYPE=mine; f() { :; }; declare -ft f",
      'j.k() { echo jk; }; BASH_COMPAT=4.2; POSIXLY_CORRECT=1; cd /usr; cd /',
      'shopt -u expand_aliases',
    ];
    const probe =
      'trap; enable -n; declare -p POSIXLY_CORRECT HOSTNAME MACHTYPE OLDPWD SHLVL; declare -F; shopt expand_aliases; j.k';
    expect(await kept(texts, `${probe}; echo "\${BASH_COMPAT-none} $SHELLOPTS"`)).toEqual([]);
  });

  it('runs a DEBUG trap before the commands of its caller, not before its own', async () => {
    for (const trace of ['', 'set -T; ']) {
      const { sandbox, ...place } = keptSandbox(shell);
      const { session } = await openSession(sandbox, 'one');
      await say(session, `umask 027; ${trace}trap 'echo before' DEBUG`);
      expect(await say(session, 'umask')).toEqual(said('before\n0027\n'));
      expect(await say(session, '')).toEqual(said(''));
      expect(await session.look([])).toEqual({ cwd: '/', definitions: [] });
      const { next } = await again(session, sandbox);
      expect(await say(next, '\numask')).toEqual(said('before\n0027\n'));
      await say(next, 'trap - DEBUG');
      expect(await say(next, 'umask; trap')).toEqual(said('0027\n'));
      next.close();
      place[Symbol.dispose]();
    }
  });

  it('runs an ERR trap once for what fails, and keeps it and the status of each text', async () => {
    using place = keptSandbox(shell);
    const { session } = await openSession(place.sandbox, 'one');
    await say(session, "trap 'echo failed' ERR");
    expect(await say(session, '(exit 3)')).toEqual({ code: 3, out: 'failed\n', err: '' });
    expect(await say(session, 'echo $?; trap')).toEqual(said("3\ntrap -- 'echo failed' ERR\n"));
    expect((await say(session, 'set -E; f() { false; }; f')).out).toBe('failed\nfailed\n');
    const { next } = await again(session, place.sandbox);
    expect(await say(next, 'echo $?; false; echo $?')).toEqual(said('1\nfailed\n1\n'));
    next.close();
  });

  it('numbers the lines of each text from 1, in messages too', async () => {
    using place = keptSandbox(shell);
    const { session } = await openSession(place.sandbox, 'one');
    expect((await say(session, 'echo )')).err).toBe(
      "bash: eval: line 1: syntax error near unexpected token `)'\nbash: eval: line 1: `echo )'\n",
    );
    for (const trap of ['', "trap 'echo failed' ERR"]) {
      await say(session, trap);
      expect((await say(session, 'echo $LINENO\necho $LINENO')).out).toBe('1\n2\n');
      expect((await say(session, ':\nnothing-like-this || :')).err).toBe(
        'bash: line 2: nothing-like-this: command not found\n',
      );
    }
    session.close();
  });

  it('waits longer than TMOUT for its next text', async () => {
    using place = keptSandbox(shell);
    const { session } = await openSession(place.sandbox, 'one');
    await say(session, 'readonly TMOUT=1; IFS=01');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await say(session, 'echo here')).toEqual(said('here\n'));
    session.close();
  });

  it('tells of functions in posix mode that are no identifiers', async () => {
    using place = keptSandbox(shell);
    const { session } = await openSession(place.sandbox, 'one');
    await say(session, 'j.k() { echo jk; }; set -o posix');
    expect((await session.look(['j.k']))?.definitions).toMatchObject([{ kind: 'function', name: 'j.k' }]);
    session.close();
  });
});
