/** The configuration file, changed by the command line: in a home that does not load, and beside a service. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Home, openHome } from './background/home.ts';

const timeout = 300_000;

const textOf = ({ path }: Home): string => readFileSync(join(path, 'config.yaml'), 'utf8');

function write({ path }: Home, text: string): void {
  writeFileSync(join(path, 'config.yaml'), text, { mode: 0o600 });
}

/** Starts a service, and makes a sandbox. */
async function served(home: Home): Promise<void> {
  for (const words of [
    ['serve', '--background', '--port', '0'],
    ['create', 'build'],
  ]) {
    const { exitCode, stderr } = await home.caisson(words);
    expect([words, exitCode, stderr]).toEqual([words, 0, expect.any(String)]);
  }
}

/** An editor that makes the file what it is given. */
function editorIn({ path }: Home, text: string): Readonly<Record<string, string>> {
  const editor = join(path, 'editor');
  writeFileSync(join(path, 'wanted'), text);
  writeFileSync(editor, `#!/bin/sh\ncat '${path}/wanted' >"$1"\n`);
  chmodSync(editor, 0o755);
  return { EDITOR: editor };
}

describe('a home that does not load', () => {
  it('is put right by config edit, which refuses what would not load either', { timeout }, async () => {
    await using home = openHome();
    write(home, 'terminal: {backend: [\n');
    const wrong = await home.caisson(['config', 'edit'], { env: editorIn(home, 'terminal: {backend: dokcer}\n') });
    expect([wrong.exitCode, wrong.stderr]).toEqual([125, expect.stringContaining('did you mean docker?')]);
    expect(textOf(home)).toBe('terminal: {backend: [\n');
    const right = await home.caisson(['config', 'edit'], { env: editorIn(home, 'terminal: {backend: local}\n') });
    expect(right).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('is changed') });
    expect(await home.caisson(['ls'])).toMatchObject({ exitCode: 0 });
    const same = await home.caisson(['config', 'edit'], { env: editorIn(home, 'terminal: {backend: local}\n') });
    expect(same).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('nothing has changed') });
  });
});

describe('beside a service', () => {
  it('a deny rule that is set holds, and everything says what holds and what waits', { timeout }, async () => {
    await using home = openHome();
    await served(home);
    const rule = (...commands: readonly string[]): string =>
      `{deny: [${commands.map((each) => `"terminal(${each}:*)"`).join(', ')}]}`;
    const set = await home.caisson(['config', 'set', 'approvals.rules', rule('expr')]);
    expect(set.stderr).toContain('the service holds it already: approvals.rules.deny: terminal(expr:*)');
    const denied = await home.caisson(['exec', 'build', '--', 'expr', '1']);
    expect([denied.exitCode, denied.stderr]).toEqual([126, expect.stringContaining('denied by a rule')]);
    expect((await home.caisson(['policy', 'check', 'expr 1'])).exitCode).toBe(3);

    const loosened = await home.caisson(['config', 'set', 'approvals.rules', '{allow: ["terminal(make:*)"]}']);
    const waits = [
      'caisson config reload would loosen: approvals.rules.deny: without terminal(expr:*)',
      'caisson config reload would loosen: approvals.rules.allow: terminal(make:*)',
    ];
    for (const line of waits) expect(loosened.stderr).toContain(line);
    expect((await home.caisson(['exec', 'build', '--', 'expr', '1'])).exitCode).toBe(126);
    expect((await home.caisson(['policy', 'check', 'expr 1'])).exitCode).toBe(3);
    for (const words of [['config', 'show'], ['service', 'status'], ['doctor']])
      for (const line of waits) {
        const { stdout, stderr } = await home.caisson(words);
        expect(stdout + stderr).toContain(line);
      }
    expect(JSON.parse((await home.caisson(['config', 'show', 'approvals.rules', '--json'])).stdout)).toMatchObject([
      { key: 'approvals.rules', pending: { loosens: expect.arrayContaining([expect.stringContaining('without')]) } },
    ]);
    expect(JSON.parse((await home.caisson(['service', 'status', '--json'])).stdout)).toMatchObject({
      pending: { problem: null, loosens: expect.arrayContaining([expect.stringContaining('without')]) },
    });

    const env = { CAISSON_EXEC: 'exec_1' };
    expect(await home.caisson(['config', 'reload'], { env })).toMatchObject({
      exitCode: 125,
      stderr: expect.stringContaining(
        'a command that Caisson runs has no configuration read again (permission_denied)',
      ),
    });
    expect((await home.caisson(['exec', 'build', '--', 'expr', '1'])).exitCode).toBe(126);
    const reloaded = await home.caisson(['config', 'reload']);
    expect([reloaded.exitCode, reloaded.stderr]).toEqual([0, expect.stringContaining('read again: approvals.rules')]);
    expect((await home.caisson(['exec', 'build', '--', 'expr', '1'])).exitCode).toBe(0);
    expect((await home.caisson(['policy', 'check', 'expr 1'])).exitCode).toBe(0);

    write(home, 'terminal: {backend: dokcer}\n');
    expect((await home.caisson(['service', 'status'])).stderr).toMatch(
      /the service takes nothing up from config\.yaml: .*dokcer/,
    );
    expect(await home.caisson(['config', 'set', 'terminal.backend', 'local'])).toMatchObject({ exitCode: 0 });
    expect((await home.caisson(['exec', 'build', '--', 'expr', '1'])).exitCode).toBe(0);
  });

  it('config reload without a service has nothing to do', { timeout }, async () => {
    await using home = openHome();
    expect(await home.caisson(['config', 'reload'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('no service runs'),
    });
  });
});
