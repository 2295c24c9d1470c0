/** A sandbox of this host whose `sh` is a given shell, with a home of its own for what is kept inside. */
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../src/backend.ts';
import { shellDirectory } from './kill/shells.ts';
import { spawnedSandbox } from './spawned-sandbox.ts';

const tools = [
  'mkdir',
  'mv',
  'rm',
  'sleep',
  'cat',
  'setsid',
  'grep',
  'ls',
  'mkfifo',
  'find',
  'date',
  'dd',
  'tail',
  'head',
  'env',
  'kill',
];

/** bash is found only where `sh` is bash too, so that each shell gets its turn. */
export function keptSandbox(shell: string): { readonly sandbox: Sandbox; readonly home: string } & Disposable {
  const directory = shellDirectory(shell);
  for (const tool of tools) symlinkSync(`/usr/bin/${tool}`, join(directory.path, tool));
  if (shell === 'bash') symlinkSync('/usr/bin/bash', join(directory.path, 'bash'));
  const inner = spawnedSandbox();
  const env = { PATH: directory.path, HOME: directory.path };
  const sandbox: Sandbox = {
    ...inner,
    exec: (command, options) => inner.exec(command, { ...options, env: { ...env, ...options.env } }),
  };
  return {
    sandbox,
    home: directory.path,
    [Symbol.dispose]: () => rmSync(directory.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  };
}
