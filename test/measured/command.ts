/** A command line of Caisson as a process of its own, and the processor time that it took. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Readable } from 'node:stream';
import { compiled } from '../compiled.ts';

const cli = fileURLToPath(new URL('../../bin/caisson.cjs', import.meta.url));
const preload = new URL('exit-cost.ts', import.meta.url).href;

interface Measured {
  readonly stdout: string;
  readonly cpuMs: number;
}

export async function measured(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Measured> {
  const child = spawn(process.execPath, ['--import', preload, cli, ...args], {
    env: { ...compiled, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const written = [child.stdout, child.stderr, child.stdio[3]].map((each) =>
    text(each instanceof Readable ? each : Readable.from([])),
  );
  const [code] = await once(child, 'close');
  const [stdout = '', stderr = '', cost = ''] = await Promise.all(written);
  if (code !== 0) throw new Error(`caisson ${args.join(' ')} exited with ${String(code)}: ${stderr}`);
  return { stdout, cpuMs: Number(cost) };
}
