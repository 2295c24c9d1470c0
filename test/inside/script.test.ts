/** The text of scripts that run in sandboxes. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { exits } from '../../src/files/exits.ts';
import { scriptOf } from '../../src/inside/script.ts';
import { shellText, stripped } from '../../src/lib/script.ts';

const root = new URL('../../', import.meta.url).pathname;
const parts = globSync('{src,backends,emulators}/**/*.sh', { cwd: root }).map((path) => path.slice(0, -'.sh'.length));

describe('a script', () => {
  it('loses whole lines of comment and indentation, and nothing else', () => {
    expect(stripped("#!/bin/sh\n# why\n\nif a; then\n  b # stays\n  # goes\n  echo '#'\nfi\n")).toBe(
      "if a; then\nb # stays\necho '#'\nfi",
    );
  });

  it('is found in more than ten files', () => expect(parts.length).toBeGreaterThan(10));

  it.each(parts)('%s is read by every shell as it is written, comments apart', (part) => {
    const text = shellText(part);
    for (const shell of ['sh', 'bash']) execFileSync(shell, ['-n'], { input: text, stdio: ['pipe', 'ignore', 'pipe'] });
    // What is taken away would change a text in quotes over several lines.
    const written = readFileSync(`${root}${part}.sh`, 'utf8');
    expect(written.match(/^\s*[^#\n]*<<-?\s*\w/m)).toBeNull();
    expect(text.split('\n').filter((line) => /^\s/.test(line) || line.startsWith('#'))).toEqual([]);
  });
});

it('exit codes of file scripts are those that errors are made from', () => {
  const found = [...scriptOf('files/exits').matchAll(/^exit_(\w+)=(\d+)$/gm)].map(([, name = '', code]) => [
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    Number(code),
  ]);
  expect(Object.fromEntries(found)).toEqual(exits);
});
