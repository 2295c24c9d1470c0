/** `details.reason` tells apart what one code stands for, so that a program needs no words of a message. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/backend.ts';
import { runTool } from '../../../src/files/tools/run.ts';
import * as tools from '../../../src/files/tools/tools.ts';
import { processSandbox } from '../process-sandbox.ts';

/** The kernel's overflow user, who owns nothing. */
const overflow = 65534;
const unprivileged = ['setpriv', `--reuid=${overflow}`, `--regid=${overflow}`, '--clear-groups'] as const;
/** Modes hold for those only who are not root. */
const isRoot = process.getuid?.() === 0;

function ofOverflow(): Sandbox {
  const plain = processSandbox();
  return isRoot
    ? { ...plain, exec: async (command, options) => await plain.exec([...unprivileged, ...command], options) }
    : plain;
}

let dir: string;
let run: tools.Run;
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-reasons-')));
  const sandbox = ofOverflow();
  run = async ({ withholds = false, ...tool }) =>
    await runTool(sandbox, { ...tool, args: withholds ? [...tool.args, ''] : tool.args });
  for (const name of ['.', 'sub', 'closed', 'fixed', 'full']) {
    mkdirSync(join(dir, name), { recursive: true });
    writeFileSync(join(dir, name, 'f'), 'text');
    if (isRoot) chownSync(join(dir, name), overflow, overflow);
  }
  symlinkSync('nowhere', join(dir, 'dangling'));
  if (isRoot) chownSync(join(dir, 'f'), overflow, overflow);
  chmodSync(join(dir, 'sub/f'), 0o000);
  chmodSync(join(dir, 'fixed'), 0o555);
  chmodSync(join(dir, 'closed'), 0o000);
});

afterAll(() => {
  chmodSync(join(dir, 'closed'), 0o700);
  rmSync(dir, { recursive: true });
});

const at = (path: string): { readonly path: string } => ({ path: join(dir, path) });
const write = async (path: string): Promise<unknown> => await tools.writeFile(run, { ...at(path), bytes: 'x' });
const acts: Readonly<Record<string, readonly [() => Promise<unknown>, code: string, reason: string]>> = {
  'a file that is missing': [() => tools.readFile(run, at('no')), 'not_found', 'missing'],
  'a file in a directory that is missing': [() => tools.readFile(run, at('no/f')), 'not_found', 'missing'],
  'a link that leads nowhere': [() => tools.readFile(run, at('dangling')), 'not_found', 'missing'],
  'a directory that is read': [() => tools.readFile(run, at('sub')), 'failed_precondition', 'directory'],
  'a directory that is written': [() => write('sub'), 'failed_precondition', 'directory'],
  'a device': [() => tools.readFile(run, { path: '/dev/null' }), 'invalid_argument', 'special'],
  'a file that is listed': [() => tools.listDirectory(run, at('f')), 'failed_precondition', 'not-a-directory'],
  'a missing directory that is listed': [() => tools.listDirectory(run, at('no')), 'not_found', 'missing'],
  'a file below a file': [() => write('f/g'), 'not_found', 'no-parent'],
  'a file without a bit to read it': [() => tools.readFile(run, at('sub/f')), 'failed_precondition', 'permission'],
  'a directory that may not be entered': [() => tools.readFile(run, at('closed/f')), ...denied()],
  'a file deep below it': [() => tools.statFile(run, at('closed/a/b')), ...denied()],
  'that directory itself, listed': [() => tools.listDirectory(run, at('closed')), ...denied()],
  'a new file where none may be made': [() => write('fixed/new'), ...denied()],
  'new directories where none may be made': [() => write('fixed/a/b/new'), ...denied()],
  'a file that may not be removed': [() => tools.removeFile(run, at('fixed/f')), ...denied()],
  'a move to where nothing may be made': [
    () => tools.moveFile(run, { ...at('f'), to: join(dir, 'fixed/g') }),
    ...denied(),
  ],
  'a directory that is not empty': [() => tools.removeFile(run, at('full')), 'failed_precondition', 'not-empty'],
  'more than may be read at once': [
    () => tools.readFile(run, { ...at('f'), length: 2 ** 30 }),
    'invalid_argument',
    'too-large',
  ],
};

function denied(): readonly [string, string] {
  return ['failed_precondition', 'permission'];
}

it.each(Object.entries(acts))('%s', async (_, [act, code, reason]) => {
  await expect(act()).rejects.toMatchObject({ code, details: { reason } });
});

it('a read that is too large names the most', async () => {
  const reading = tools.readFile(run, { ...at('f'), length: 2 ** 30 });
  await expect(reading).rejects.toMatchObject({ details: { most: 16 * 2 ** 20 } });
});
