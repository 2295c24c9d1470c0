import { expect } from 'vitest';
import { openSession, say } from '../../exec/session/shell.ts';
import { sh } from '../command.ts';
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
      await sh(sandbox, `rm -rf "\${XDG_STATE_HOME:-$HOME/.local/state}/caisson/${place.instance}"`);
      await place.destroy(sandbox);
    },
  );
}
