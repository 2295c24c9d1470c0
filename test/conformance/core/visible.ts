import { expect } from 'vitest';
import type { Sandbox } from '../../../src/backend.ts';
import { killProcess, waitForProcess } from '../../../src/exec/detached/end.ts';
import { followProcess } from '../../../src/exec/detached/follow.ts';
import { startDetached } from '../../../src/exec/detached/start.ts';
import { startDirect } from '../../../src/exec/direct/start.ts';
import { LanedSandbox } from '../../../src/exec/lane/laned.ts';
import { requestFor, shell, where } from '../../exec/requests.ts';
import { openSession, say } from '../../exec/session/shell.ts';
import { finish, forgetKept, run, sh } from '../command.ts';
import type { Place } from '../place.ts';
import type { Suite } from '../suite.ts';

/** What shows processes, their arguments, their variables and their memory of them. */
const texts = [
  'ps axww',
  'ps aux',
  'ps',
  'pgrep -af sh',
  'pkill -0 -f caisson',
  'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ',
  'x=$(cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ); echo "$x"',
  'set',
  'env',
  'set -x; echo "$0" "$-"',
];

interface VisibleOutput {
  readonly code: number | null;
  readonly text: string;
}

type Way = (text: string) => Promise<VisibleOutput>;

async function expectWhole(way: Way): Promise<void> {
  for (const text of texts) {
    const { code, text: said } = await way(`( ${text} ) 2>&1; echo THE END; (exit 5)`);
    expect([text, code, said.slice(-8)]).toEqual([text, 5, 'THE END\n']);
  }
}

const direct = (sandbox: Sandbox): Way => {
  return async (text) => {
    const options = { cwd: '/', env: { CAISSON_EXEC: 'exec_visible' }, stdin: false };
    const process = await startDirect(sandbox, ['sh', '-c', text], options);
    const { exitCode, stdout } = await finish(process);
    expect(await process.outputs()).toEqual({ is: 'ended' });
    return { code: exitCode, text: stdout.toString() };
  };
};

const laned = (sandbox: Sandbox): Way => {
  return async (text) => {
    const { exitCode, stdout } = await run(sandbox, ['sh', '-c', text]);
    return { code: exitCode, text: stdout.toString() };
  };
};

/** Every process of the sandbox that can be seen, its arguments parted by blanks. */
const listing = `for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <"$f" 2>/dev/null; echo; done`;

/** Caisson's own, by the names that they have. */
const ownForm = /\bcaisson-(?:init|lane|ready|watch|session|supervisor|detach|kill|follow|wait)\b/;

async function expectShort({ guarantees }: Place, sandbox: Sandbox): Promise<void> {
  // On a host there are processes of others, also of other versions.
  if (guarantees.isolation === 'none' || guarantees.isolation === 'remote-host') return;
  const lines = (await sh(sandbox, listing)).stdout.toString().split('\n');
  const own = lines.map((line) => line.trimEnd()).filter((line) => ownForm.test(line) && !line.includes(listing));
  const long = own.filter((line) => line.length > (line.includes('caisson-init') ? 120 : 80));
  expect(long).toEqual([]);
}

/** What everyday commands see of Caisson in a sandbox, and what they do not. */
export function visibleCases(suite: Suite): void {
  suite.test('visible.direct', 'keeps what shows processes and variables whole on the direct path', async (place) => {
    await expectWhole(direct(await place.sandbox()));
  });

  suite.test('visible.lanes', 'keeps what shows processes and variables whole in a lane', async (place) => {
    const sandbox = new LanedSandbox(await place.sandbox(), null);
    for (let index = 0; index < 2; index += 1) await run(sandbox, ['true']);
    expect(sandbox.noLanes).toBeNull();
    await expectWhole(laned(sandbox));
    await expectShort(place, sandbox);
    sandbox.close();
  });

  suite.test('visible.session', 'keeps what shows processes and variables whole in a session', async (place) => {
    const sandbox = await place.sandbox();
    const { session } = await openSession(sandbox, 'visible', { key: place.instance });
    await expectWhole(async (text) => {
      const { code, out } = await say(session, text);
      return { code, text: out };
    });
    await expectShort(place, sandbox);
    session.close();
    await forgetKept(sandbox, place.instance);
  });

  suite.test(
    'visible.detached',
    'keeps what shows processes and variables whole in a detached process',
    async (place) => {
      const sandbox = await place.sandbox();
      // One process for all: each takes several commands to start, to wait for and to read.
      const text = texts.map((each, at) => `( ${each} ) 2>&1; echo; echo END OF ${at}\n`).join('');
      const said = await detachedSaid(place, sandbox, `${text}(exit 5)`);
      expect([said.code, said.text.match(/^END OF \d+$/gm)]).toEqual([5, texts.map((_, at) => `END OF ${at}`)]);
      await forgetKept(sandbox, place.instance);
    },
  );

  suite.test('visible.words', 'shows the words of a command in its own arguments and in no others', async (place) => {
    const sandbox = await place.sandbox();
    const word = `server-${place.instance}`;
    const count = `grep -l '[s]erver-${place.instance}' /proc/[0-9]*/cmdline 2>/dev/null | wc -l`;
    const seen = async (): Promise<number> => Number((await sh(sandbox, count)).stdout.toString());
    const kept = { sandbox, key: place.instance, signal: undefined };
    const request = requestFor(['sh', '-c', 'sleep 300; :', word]);
    await startDetached(kept, request);
    await expect.poll(seen, { timeout: 20_000 }).toBe(1);
    await expectShort(place, sandbox);
    await killProcess(kept, request.execId, 'KILL');
    const options = { cwd: '/', env: { CAISSON_EXEC: 'exec_words' }, stdin: true };
    const process = await startDirect(sandbox, ['sh', '-c', 'read x; :', word], options);
    expect(await seen()).toBe(1);
    await expectShort(place, sandbox);
    process.stdin?.end();
    await finish(process);
    await forgetKept(sandbox, place.instance);
  });
}

async function detachedSaid(place: Place, sandbox: Sandbox, text: string): Promise<VisibleOutput> {
  const kept = { sandbox, key: place.instance, signal: undefined };
  const request = shell(text);
  await startDetached(kept, request);
  const { exitCode } = await waitForProcess(kept, request.execId);
  let said = '';
  for await (const { event } of followProcess(kept, request.execId, { after: 0, follow: false, where, cwd: '/' }))
    if (event.type === 'stdout') said += Buffer.from(event.bytes).toString();
  return { code: exitCode, text: said };
}
