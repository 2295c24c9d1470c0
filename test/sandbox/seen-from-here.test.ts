import { expect, it } from 'vitest';
import type { Sandbox } from '../../src/backend.ts';
import { probe } from '../../src/sandbox/probe.ts';
import { ScriptedProcess, scriptedSandbox } from '../exec/scripted.ts';

const status = (bits: string, noNewPrivileges: number, seccomp: number): string =>
  ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb']
    .map((set) => `Cap${set}:\t${bits}\n`)
    .concat(`NoNewPrivs:\t${noNewPrivileges}\nSeccomp:\t${seccomp}\n`)
    .join('');

/** A program of the image that claims less than the kernel has given it. */
function lying(controls?: Sandbox['controls']): Sandbox {
  const process = new ScriptedProcess();
  process.stdout.end(`== caisson probe\nuid=0\n== status\n${status('0000000000000000', 1, 2)}== end\n`);
  return scriptedSandbox(process, new Error('one program'), controls === undefined ? {} : { controls });
}

it('capabilities, seccomp and no-new-privileges are what the kernel of this host says, whatever the image answers', async () => {
  const all = '000001ffffffffff';
  const seen = await probe(
    lying({ status: () => Promise.resolve(status(all, 0, 0)), network: () => Promise.resolve(null) }),
  );
  expect(seen).toMatchObject({
    uid: 0,
    noNewPrivileges: false,
    seccomp: 'disabled',
    capabilities: { effective: all, bounding: all, ambient: all },
  });
});

it('what cannot be seen from here is what the sandbox says', async () => {
  const none = { noNewPrivileges: true, seccomp: 'filter', capabilities: { effective: '0000000000000000' } };
  expect(
    await probe(lying({ status: () => Promise.resolve(null), network: () => Promise.resolve(null) })),
  ).toMatchObject(none);
  expect(await probe(lying())).toMatchObject(none);
});
