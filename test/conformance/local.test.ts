import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { open } from '../../backends/local/backend.ts';
import { core } from './core/all.ts';
import { plainSpec } from './spec.ts';
import { testBackend } from './suite.ts';

const temporary = mkdtempSync(join(tmpdir(), 'caisson-local-'));
afterAll(() => rmSync(temporary, { recursive: true }));

await testBackend(
  {
    name: 'local',
    open: (instance) => open({ env: { ...process.env, TMPDIR: temporary }, instance }),
    spec: plainSpec('local', { cwd: temporary, persistent: true }),
  },
  core,
);
