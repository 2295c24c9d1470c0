import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toCaissonError } from '../../../src/errors.ts';
import { Broker } from '../../../src/secrets/broker/broker.ts';
import type { SecretSource } from '../../../src/secrets/broker/types.ts';
import { stateDirectory } from '../../../src/secrets/credentials/source.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'caisson-broker-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function broker(sources: Readonly<Record<string, SecretSource>>): Broker {
  return new Broker(sources, { env: { PATH: process.env['PATH'], HOME: home, OTHER: 'from-another' }, cwd: home });
}

/** A vault that counts how often it was asked. */
function vault(says: string, code = 0): readonly [string] {
  const path = join(home, 'vault');
  writeFileSync(path, `#!/bin/sh\necho asked >>"$HOME/asked"\n${says}\nexit ${code}\n`);
  chmodSync(path, 0o700);
  return [path];
}

const asked = (): number => readFileSync(join(home, 'asked'), 'utf8').trim().split('\n').length;

describe('a source of a variable', () => {
  it('is a program, a file or another variable, and others are not its business', async () => {
    writeFileSync(join(home, 'key'), 'in-a-file\n');
    const sources = broker({
      A: { exec: vault('echo from-the-vault') },
      B: { file: '~/key' },
      C: { env: 'OTHER' },
      D: { env: 'UNSET' },
    });
    expect(await sources.variables(['A', 'B', 'C', 'D', 'E'])).toEqual({
      A: 'from-the-vault',
      B: 'in-a-file',
      C: 'from-another',
    });
  });

  it('loses one line end, and no other white space', async () => {
    expect(await broker({ A: { exec: vault("printf ' a \\n\\n'") } }).variables(['A'])).toEqual({ A: ' a \n' });
  });

  it('is asked once for a while, and by several at once only once', async () => {
    const exec = vault('date +%N');
    const sources = broker({ A: { exec } });
    const [one, two] = await Promise.all([sources.variables(['A']), sources.variables(['A'])]);
    expect([two, await sources.variables(['A']), asked()]).toEqual([one, one, 1]);
    const eager = broker({ A: { exec, cache: 0 } });
    await eager.variables(['A']);
    await eager.variables(['A']);
    expect(asked()).toBe(3);
  });

  it.each<readonly [string, string, (path: readonly [string]) => SecretSource]>([
    ['timed_out', 'sleep 30', (exec) => ({ exec, timeout: 0.2 })],
    ['unavailable', 'echo s3cret-half; echo s3cret-complaint >&2; exit 3', (exec) => ({ exec })],
    ['unavailable', 'kill -9 $$', (exec) => ({ exec })],
    ['unavailable', 'head -c 2000000 /dev/zero', (exec) => ({ exec })],
    ['unavailable', '', () => ({ exec: ['/nowhere/vault'] })],
    ['invalid_argument', '', () => ({ file: '/dev' })],
  ])('that fails is reported as %s, without a word it said (%s)', async (code, says, sourceOf) => {
    const failure = await broker({ A: sourceOf(vault(says)) })
      .variables(['A'])
      .catch(toCaissonError);
    expect(failure).toMatchObject({ code, details: { name: 'A' } });
    expect(inspect(failure, { depth: 9 })).not.toContain('s3cret');
  });
});

describe('a source of a credential file', () => {
  it('stands for the file of that path, and the others come from the state directory', async () => {
    writeFileSync(join(home, 'plain.json'), 'plain');
    writeFileSync(join(home, 'elsewhere'), 'moved');
    const files = broker({
      'a.json': { exec: vault('echo sourced') },
      'b.json': { file: '~/elsewhere' },
      'c.json': { file: '/nowhere' },
    }).credentials(stateDirectory(home));
    const contents = await Promise.all(['a.json', 'b.json', 'c.json', 'plain.json'].map((path) => files.read(path)));
    expect(contents.map((content) => content?.bytes.toString())).toEqual(['sourced\n', 'moved', undefined, 'plain']);
    expect(files.stampOf('a.json')).toBe(contents[0]?.stamp);
    expect(files.stampOf('b.json')).toBe(contents[1]?.stamp);
    writeFileSync(join(home, 'elsewhere'), 'changed');
    expect(files.stampOf('b.json')).not.toBe(contents[1]?.stamp);
  });

  it('is asked again when its answer is too old, and has the same stamp when that is the same', async () => {
    const files = broker({ 'a.json': { exec: vault('echo sourced'), cache: 0 } }).credentials(stateDirectory(home));
    const first = await files.read('a.json');
    expect(files.stampOf('a.json')).not.toBe(first?.stamp);
    expect((await files.read('a.json'))?.stamp).toBe(first?.stamp);
  });
});
