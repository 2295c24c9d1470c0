/** Runs the probe in a sandbox and reads its answer. */
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Process, Sandbox } from '../backend.ts';
import { parseControls, type Effective, parseEffective, parseNetwork } from './effective.ts';
import { carried } from '../inside/carried.ts';
import { scriptOf } from '../inside/script.ts';

const timeoutMs = 10_000;
/** It has said all by then. A lane whose command is given up before its end takes no other one. */
const endingMs = 100;
const maxBytes = 256 * 1024;
const endMark = '== end\n';

/** `null` when the sandbox cannot tell: no shell, or a text that does not parse. Throws what `exec` throws. */
export async function probe(sandbox: Sandbox): Promise<Effective | null> {
  const { command, env } = carried('probe', scriptOf('probe'), []);
  const process = await sandbox.exec(command, {
    cwd: '/',
    env: { ...env, CAISSON_EXEC: 'probe' },
    stdin: false,
  });
  try {
    const text = await readProbe(process);
    await Promise.race([process.wait().catch(() => null), sleep(endingMs, null, { ref: false })]);
    return await seenFromHere(sandbox, parseEffective(text));
  } finally {
    process.release();
  }
}

/** What the kernel of this host says stands before what a program of the image answered. */
async function seenFromHere(sandbox: Sandbox, effective: Effective | null): Promise<Effective | null> {
  const { controls } = sandbox;
  if (effective === null || controls === undefined) return effective;
  const status = await controls.status();
  const tables = await controls.network();
  return {
    ...effective,
    ...(status === null ? {} : parseControls(status)),
    ...(tables === null ? {} : parseNetwork(tables)),
  };
}

async function readProbe(process: Process): Promise<string> {
  process.stderr.resume();
  const timer = setTimeout(() => process.release(), timeoutMs);
  try {
    return await readUntilEnd(process.stdout);
  } finally {
    clearTimeout(timer);
  }
}

async function readUntilEnd(stream: Readable): Promise<string> {
  let text = '';
  try {
    for await (const chunk of stream) {
      text += Buffer.from(chunk).toString('latin1');
      if (text.endsWith(endMark) || text.length > maxBytes) break;
    }
  } catch {
    // A stream that breaks gives an incomplete text, which does not parse: the probe then tells nothing.
  }
  return text;
}
