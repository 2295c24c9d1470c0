/** A shell through a service, where no person is at a terminal. */
import { expect, it } from 'vitest';
import { openHome } from '../background/home.ts';

it(
  'a refused shell says who asks and how it is allowed, and runs when that was done',
  { timeout: 120_000 },
  async () => {
    await using home = openHome();
    await home.caisson(['serve', '--background', '--port', '0']);
    await home.caisson(['create', 'build']);
    const refused = await home.caisson(['sh', 'build']);
    const [, id = ''] =
      /caisson approvals approve --session (apr_[0-9a-f]{24}), and then the same line/.exec(refused.stderr) ?? [];
    expect([refused.exitCode, refused.stderr]).toEqual([
      126,
      expect.stringContaining('(DANGEROUS COMMAND: its later input is not judged)'),
    ]);
    const [asked] = JSON.parse((await home.caisson(['approvals', 'ls', '--json'])).stdout);
    expect(asked).toMatchObject({ id, display: 'sh', stdin: true, rule: null, title: 'DANGEROUS COMMAND' });
    expect((await home.caisson(['approvals', 'ls'])).stdout).not.toContain('command -v');
    expect(await home.caisson(['approvals', 'approve', '--session', id])).toMatchObject({ exitCode: 0 });
    expect(await home.caisson(['sh', 'build'])).toMatchObject({ exitCode: 0 });
    expect((await home.caisson(['sh', 'build', '-w', '/tmp'])).exitCode).toBe(0);
  },
);
