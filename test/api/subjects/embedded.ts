/** The library in this process. Each connection is an opening of its own, as in another process of the state directory. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCaisson } from '../../../src/main.ts';
import type { Caisson } from '../../../src/service/caisson.ts';
import type { OpenSubject } from '../subject.ts';

/** Directory with the sandboxes of a subject. */
export interface Home extends Disposable {
  readonly root: string;
  readonly open: () => Promise<Caisson>;
}

export function homeFor(terminal: string, env: Readonly<Record<string, string>>, settings: string): Home {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-api-')));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), `terminal: ${terminal}\n${settings}`, { mode: 0o600 });
  const own = { PATH: process.env['PATH'], HOME: root, CAISSON_SECURITY_TIRITH_ENABLED: 'false', ...env };
  return {
    root,
    open: () => openCaisson({ home, env: own, cwd: root, approver: 'queue' }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export function embedded(home: Home): OpenSubject {
  return {
    connect: () => home.open(),
    close: async () => {
      home[Symbol.dispose]();
      await Promise.resolve();
    },
  };
}
