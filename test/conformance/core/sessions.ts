import { expect } from 'vitest';
import { collect } from '../../../src/exec/collect.ts';
import { watchExec } from '../../../src/exec/start.ts';
import { bare, requestFor } from '../../exec/requests.ts';
import { openSession, say } from '../../exec/session/shell.ts';
import { forgetKept, readUntil, sh } from '../command.ts';
import type { Suite } from '../suite.ts';

/** On the contract and core alone: every place that can run a shell must carry them. */
export function sessionCases(suite: Suite): void {
  suite.test(
    'sessions.state',
    'keeps directory, variables and aliases between calls, and takes them up again',
    async (place) => {
      const sandbox = await place.create();
      const where = { key: place.instance };
      const { session } = await openSession(sandbox, 'one', where);
      await say(session, `cd /usr; X="a 'b'"; export Y=2; alias hi="echo hello"; false`);
      expect(await say(session, 'echo $?; pwd; echo "$X"; sh -c "echo \\$Y"; hi')).toEqual({
        code: 0,
        out: "1\n/usr\na 'b'\n2\nhello\n",
        err: '',
      });
      session.close();
      const again = await (await place.another()).attach(sandbox.ref);
      const next = await openSession(again, 'one', where);
      expect(next.opened.restored).toBe(true);
      expect((await say(next.session, 'pwd; echo "$X"; hi')).out).toBe("/usr\na 'b'\nhello\n");
      expect(await say(next.session, 'exit 7')).toMatchObject({ code: 7 });
      expect(next.session.hasEnded).toBe(true);
      await forgetKept(sandbox, place.instance);
      await place.destroy(sandbox);
    },
  );
  suite.test(
    'sessions.hung',
    'runs nothing more of a text whose time is over, and keeps the state from before it',
    async (place) => {
      const sandbox = await place.create();
      const where = { key: place.instance };
      const { session } = await openSession(sandbox, 'hung', where);
      await say(session, 'X=kept');
      const request = requestFor(['session'], { timeoutMs: 700 });
      const execution = watchExec(session.run('echo begun; sleep 300; echo BAD', { CAISSON_EXEC: request.execId }), {
        sandbox: session.guarded(sandbox),
        request,
        context: bare,
      });
      const { exit, stdout } = await collect(execution, { keepBytes: 100 });
      expect([exit.reason, exit.survivors, stdout.text]).toEqual(['timed-out', [], 'begun\n']);
      const next = session.hasEnded ? (await openSession(sandbox, 'hung', where)).session : session;
      expect((await say(next, 'echo $X')).out).toBe('kept\n');
      next.close();
      await forgetKept(sandbox, place.instance);
      await place.destroy(sandbox);
    },
  );
  suite.test('sessions.streams', 'delivers what a text writes as it comes, not at the end', async (place) => {
    const sandbox = await place.create();
    const { session } = await openSession(sandbox, 'streams', { key: place.instance });
    const request = requestFor(['session']);
    const [seen, more] = [`/tmp/${request.execId}`, `/tmp/${request.execId}-more`];
    const until = (file: string): string => `until [ -e ${file} ]; do sleep 0.05; done`;
    const text = `echo first; ${until(seen)}; printf "> " >&2; ${until(more)}; rm -f ${seen} ${more}; echo last`;
    const process = session.run(text, { CAISSON_EXEC: request.execId });
    const execution = watchExec(process, { sandbox: session.guarded(sandbox), request, context: bare });
    expect(await readUntil(execution.stdout, 'first\n')).toBe('first\n');
    await sh(sandbox, `: >${seen}`); // which the text waits for
    expect(await readUntil(execution.stderr, '> ')).toBe('> ');
    await sh(sandbox, `: >${more}`);
    const { exit, stdout } = await collect(execution, { keepBytes: 100 });
    expect([exit.exitCode, stdout.text]).toEqual([0, 'last\n']);
    session.close();
    await forgetKept(sandbox, place.instance);
    await place.destroy(sandbox);
  });
  suite.test('sessions.shadowed', 'goes on when a text defines what the session itself calls', async (place) => {
    const sandbox = await place.create();
    const where = { key: place.instance };
    const { session } = await openSession(sandbox, 'shadowed', where);
    await say(session, 'cd /usr; X=1');
    const names = ['printf', 'read', 'umask', 'type', 'pwd', 'mv', 'command'];
    const taken = await say(session, names.map((name) => `${name}() { false; }; alias ${name}=false`).join('; '));
    expect([taken.code, taken.err]).toEqual([0, expect.stringContaining('command is not kept')]);
    expect(await say(session, 'echo "$X"; printf x')).toEqual({ code: 1, out: '1\n', err: '' });
    expect(await session.look([])).toEqual({ cwd: '/usr', definitions: [] });
    session.close();
    const next = await openSession(sandbox, 'shadowed', where);
    expect(await say(next.session, 'echo "$X $PWD"')).toEqual({ code: 0, out: '1 /usr\n', err: '' });
    next.session.close();
    await forgetKept(sandbox, place.instance);
    await place.destroy(sandbox);
  });
}
