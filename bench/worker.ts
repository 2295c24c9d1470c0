/** A process of its own that does rounds when it is asked to, and measures them itself. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { CaissonError } from '../src/errors.ts';
import { timed } from './interleave.ts';

export interface Worker {
  /** What it said when it was ready. */
  readonly said: Readonly<Record<string, string>>;
  /** Milliseconds for `times` of them at once. */
  round(times: number, how: string): Promise<number>;
  close(): Promise<void>;
}

/** A worker that starts in another way than from its source. */
export interface Program {
  readonly file: string;
  /** Flags of Node. */
  readonly flags: readonly string[];
}

export async function startWorker(name: string, args: readonly string[], program?: Program): Promise<Worker> {
  const file = program?.file ?? sourceOf(name);
  const child = fork(file, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [...(program?.flags ?? [])],
  });
  const next = async (): Promise<unknown> => {
    const left = new AbortController();
    const message = once(child, 'message', { signal: left.signal });
    const exit = once(child, 'exit', { signal: left.signal }).then(() => gone(name));
    try {
      const [said]: readonly unknown[] = await Promise.race([message, exit]);
      return said;
    } finally {
      left.abort();
      await Promise.allSettled([message, exit]);
    }
  };
  const said = await next();
  return {
    said: typeof said === 'object' && said !== null ? Object.fromEntries(Object.entries(said)) : {},
    round: async (times, how) => {
      child.send({ times, how });
      return Number(await next());
    },
    close: async () => {
      if (!child.connected) return;
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

/** Bundles the program as it ships: the reader of TypeScript alone takes 40 MB. */
export async function bundled(name: string, directory: string): Promise<string> {
  const file = join(directory, `${name}.mjs`);
  const bundle = await rolldown({ input: sourceOf(name), platform: 'node', checks: { eval: false } });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return file;
}

const sourceOf = (name: string): string => fileURLToPath(new URL(`children/${name}.ts`, import.meta.url));

/** In such a process: says that it is ready, and does rounds until its parent lets it go. */
export async function serveRounds(
  said: Readonly<Record<string, string>>,
  act: (how: string) => Promise<unknown>,
): Promise<void> {
  process.on('message', ({ times, how }: { readonly times: number; readonly how: string }) => {
    void timed(() => Promise.all(Array.from({ length: times }, () => act(how)))).then((ms) => process.send?.(ms));
  });
  process.send?.(said);
  await once(process, 'disconnect');
}

function gone(name: string): never {
  throw new CaissonError('internal', `the process ${name} has ended`);
}
