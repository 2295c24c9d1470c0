/** A client of Apptainer that gets no turn on the processor after it has forked, as on a busy machine. */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/backend.ts';
import { run, sh } from '../../conformance/command.ts';
import { type Apptainer, hasApptainer } from '../../engines/apptainer.ts';
import { TestPlace } from './place.ts';

const heldMs = 300;

/**
 * strace holds the client alone, none of its children, when it is about to look at the group of its child. The program
 * that it is started as finds its files from where it lies, so it lies in a second tree just like the first.
 */
function holdClients({ directory, program }: Apptainer): void {
  const [tree, starter] = [join(program, '../../..'), 'usr/lib/x86_64-linux-gnu/apptainer/bin/starter'];
  const real = join(directory, 'real');
  execFileSync('cp', ['-al', tree, real]);
  rmSync(join(tree, starter));
  const held = `strace -D -qq -o /dev/null -e trace=chdir -e inject=chdir:delay_exit=${heldMs * 1000}`;
  writeFileSync(join(tree, starter), `#!/bin/sh\nexec ${held} ${join(real, starter)} "$@"\n`, { mode: 0o755 });
}

describe.skipIf(!hasApptainer())('a client that is slow', () => {
  let place: TestPlace;
  let sandbox: Sandbox;
  beforeAll(async () => {
    place = await TestPlace.open();
    sandbox = await place.create();
    holdClients(place.apptainer);
  });
  afterAll(() => place.close());

  test('is waited for before the command takes a session of its own', async () => {
    const from = performance.now();
    const { stdout } = await sh(sandbox, 'read -r _ _ _ _ group session _ </proc/$$/stat; echo "$$ $group $session"');
    expect(performance.now() - from).toBeGreaterThan(heldMs);
    const [pid, group, session] = stdout.toString().trim().split(' ');
    expect([group, session]).toEqual([pid, pid]);
    expect(await run(sandbox, ['sh', '-c', 'exit 7'])).toMatchObject({ exitCode: 7, signal: null });
  });
});
