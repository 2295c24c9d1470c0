import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onDouble, scratch, start, type CliProcess } from './process.ts';

/** From util-linux: runs a shell line on a terminal of its own and passes it through. */
const script = '/usr/bin/script';

describe.skipIf(!existsSync(script))('a terminal', () => {
  it('is raw while the command has it, follows its size, and is as before afterwards', async () => {
    await using at = await scratch();
    const resize = join(at.path, 'resize');
    const later = `until [ -e ${resize} ]; do sleep 0.05; done; stty -F "$TTY" rows 40 cols 120`;
    const terminal = onTerminal(`stty -F "$TTY" rows 31 cols 97; sh -c '${later}' & ${caisson} sh build`, at);
    await terminal.wrote('size 97x31 TERM vt100');
    terminal.child.stdin?.write('\u0003');
    await terminal.wrote('typed 03');
    await writeFile(resize, '');
    await terminal.wrote('size 120x40');
    terminal.child.stdin?.write('q');
    await terminal.ended;
    expect(await states(at)).toEqual({ same: true, exitCode: '3' });
  });

  it('changes no byte of what the command writes, and ends lines of Caisson itself', async () => {
    await using at = await scratch();
    const terminal = onTerminal(`${caisson} exec -it build -- top`, at);
    await terminal.wrote('size');
    terminal.child.stdin?.write('\r\n~');
    await terminal.wrote('typed 0d0a7e\r\n');
    terminal.child.stdin?.write('?');
    await terminal.wrote('typed 3f\r\n');
    terminal.child.stdin?.write('q');
    const { stdout } = await terminal.ended;
    expect(stdout).toContain('caisson: interrupted: stopping and cleaning up; once more to leave at once\r\n');
    expect(stdout).not.toContain('\r\r\n');
  });

  it('has a word where no stty is there, and is given back all the same', async () => {
    await using at = await scratch();
    const terminal = onTerminal(`PATH=/nowhere ${caisson} exec -it build -- top`, at);
    await terminal.wrote(
      'caisson: the terminal turns each line feed of the command into two characters: stty does not run',
    );
    await terminal.wrote('size');
    terminal.child.stdin?.write('q');
    await terminal.ended;
    expect(await states(at)).toEqual({ same: true, exitCode: '3' });
  });

  it('is given back when a signal ends the command', async () => {
    await using at = await scratch();
    const terminal = onTerminal(`${caisson} exec -it build -- top`, at);
    await terminal.wrote('size');
    terminal.child.stdin?.write('!');
    await terminal.ended;
    expect(await states(at)).toEqual({ same: true, exitCode: '143' });
  });

  it('is given back when the program fails in the middle', async () => {
    await using at = await scratch();
    const now = join(at.path, 'now');
    const look = `if (fs.existsSync('${now}')) throw new Error('in the middle')`;
    const fault = `data:text/javascript,import fs from 'node:fs'; setInterval(() => { ${look} }, 50)`;
    const terminal = onTerminal(`'${process.execPath}' --import "${fault}" '${onDouble}' exec -it build -- top`, at);
    await terminal.wrote('size');
    await writeFile(now, '');
    await terminal.ended;
    expect(await states(at)).toMatchObject({ same: true });
  });

  it('shows progress in one line that goes away', async () => {
    await using at = await scratch();
    const { stdout } = await onTerminal(`${caisson} create other`, at).ended;
    expect(stdout).toContain('\r\u001b[K[#####...............] pulling 976.6 KB of 3.8 MB (25%)\r\u001b[Ksbx_other');
  });

  it('shows a line that moves while a sandbox is made, which goes away', async () => {
    await using at = await scratch();
    const slow = (words: string): CliProcess => onTerminal(`DOUBLE_DELAY=2200 ${caisson} ${words} -- echo ran`, at);
    const lines = ['run', 'run --quiet', 'exec build'].map((words) => slow(words).ended);
    const [{ stdout } = none, quiet = none, existing = none] = await Promise.all(lines);
    expect(stdout).toContain('(25%)\r\u001b[K');
    expect(stdout).toMatch(/\r\u001b\[K[|/\\-] preparing the sandbox, [12] s\r\u001b\[Kcaisson: missing here/);
    expect(quiet.stdout).toBe('ran\r\n');
    expect(existing.stdout).toMatch(/^(?!.*preparing).*ran\r\n$/s);
  });
});

const none = { stdout: '' };

const caisson = `'${process.execPath}' '${onDouble}'`;

type Scratch = Awaited<ReturnType<typeof scratch>>;

/** Writes down the state of the terminal before and after the line, and how the line ended. */
function onTerminal(line: string, { path, env }: Scratch): CliProcess {
  const save = (name: string) => `stty -g > '${join(path, name)}'`;
  const lines = ['TTY=$(tty)', 'export TTY', save('before'), line, `echo $? > '${join(path, 'exit')}'`, save('after')];
  return start(script, ['-qec', lines.join('\n'), '/dev/null'], { ...env, TERM: 'vt100', SHELL: '/bin/sh' });
}

async function states({ path }: Scratch): Promise<{ readonly same: boolean; readonly exitCode: string }> {
  const [before, after, exitCode] = await Promise.all(
    ['before', 'after', 'exit'].map((name) => readFile(join(path, name), 'utf8')),
  );
  return { same: before === after && before !== undefined && before.length > 20, exitCode: exitCode?.trim() ?? '' };
}
