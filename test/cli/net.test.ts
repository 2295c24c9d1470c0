import { describe, expect, it } from 'vitest';
import { containing } from '../matchers.ts';
import { cli } from './cli.ts';

describe('net check', () => {
  it.each([
    ['http://8.8.8.8/', 0, 'allow: 8.8.8.8 may be connected to\n'],
    ['http://2130706433/', 3, 'block: 127.0.0.1 is a loopback address\n'],
    ['https://example.com/', 3, 'block: not resolved\n'],
    ['example.com', 3, 'block: "example.com" is no absolute URL\n'],
  ] as const)('judges %j by exit code %i', async (url, exitCode, stdout) => {
    expect(await cli(['net', 'check', url])).toMatchObject({ exitCode, stdout, stderr: '' });
  });

  it('takes what a name resolves to, and redirects', async () => {
    const check = ['net', 'check', '--json', 'https://example.com/', '--dns', '93.184.216.34'];
    expect(JSON.parse((await cli(check)).stdout)).toEqual({
      url: 'https://example.com/',
      verdict: 'allow',
      reason: 'every address of "example.com" may be connected to',
    });
    expect((await cli([...check, '--dns', '10.0.0.1'])).exitCode).toBe(3);
    expect((await cli([...check, '--redirect', 'http://10.0.0.1/'])).exitCode).toBe(3);
  });

  it('answers lines in order, and stops at one that is no question', async () => {
    const lines = [
      { url: 'https://example.com/', dns: ['93.184.216.34'] },
      { url: 'https://example.com/', dns: ['93.184.216.34'], redirects: ['http://169.254.169.254/'] },
      { url: 'https://example.com/' },
      ...Array.from({ length: 2000 }, (_, at) => ({ url: `http://8.8.8.8/${at}` })),
    ];
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const { stdout, exitCode } = await cli(['net', 'check', '--json'], { input });
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line): { url: string; verdict: string; reason: string } => JSON.parse(line));
    expect([exitCode, answers.map(({ url }) => url)]).toEqual([0, lines.map(({ url }) => url)]);
    expect(answers.slice(0, 4).map(({ verdict }) => verdict)).toEqual(['allow', 'block', 'block', 'allow']);
    for (const line of ['{"uri": 1}', 'x', '[]', 'null', '{"url": "http://8.8.8.8/", "dns": "8.8.8.8"}']) {
      const ended = await cli(['net', 'check', '--json'], { input: `{"url":"http://8.8.8.8/"}\n${line}\n` });
      expect([ended.exitCode, ended.stderr]).toEqual([125, containing('line 2')]);
    }
  });

  it('escapes what it shows, and says at 125 that it does not understand', async () => {
    const { stdout } = await cli(['net', 'check', 'http://\u001b[2Jx/']);
    expect(stdout).not.toContain('\u001b');
    expect((await cli(['net', 'check', 'a', 'b'])).exitCode).toBe(125);
  });
});
