/** The frameworks' modules and a library on one backend, for the members of one adapter. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Caisson } from '../../../src/service/caisson.ts';
import { dockerHome } from '../../api/subjects/docker.ts';
import { homeFor } from '../../api/subjects/embedded.ts';
import { isInstalled } from '../../engines/installed.ts';
import { frameworkProject } from './project.ts';

const rules = 'approvals: {mode: manual, timeout: 5}\ntasks: {"*": {rules: {deny: ["terminal(mkfifo:*)"]}}}\n';

/** Types of the frameworks are not there for this project; `types.mts` compares them with those of the adapters. */
export interface Modules {
  readonly deepagents: never;
  readonly ai: never;
  readonly sandbox: object;
  readonly applyDiff: never;
}

export interface Ground {
  readonly backend: string;
  /** There when a case runs. */
  readonly caisson: () => Caisson;
  readonly modules: () => Modules;
}

export function onEachBackend(name: string, cases: (ground: Ground) => void): void {
  describe.skipIf(!isInstalled('adapters')).each(['local', 'docker'])(`${name} on %s`, (backend) => {
    const opened = new DisposableStack();
    let there: { readonly caisson: Caisson; readonly modules: Modules } | null = null;
    const now = () => {
      if (there === null) throw new Error('nothing is open yet');
      return there;
    };
    beforeAll(async () => {
      const project = opened.use(frameworkProject());
      const home = opened.use(backend === 'docker' ? dockerHome(rules) : homeFor('{backend: local}', {}, rules));
      const modules = await import(pathToFileURL(join(project.path, 'frameworks.mts')).href);
      there = { caisson: await home.open(), modules };
    });
    afterAll(async () => {
      const { caisson } = now();
      for (const { taskId } of (await caisson.sandboxes.list()).items) await caisson.sandboxes.remove(taskId);
      await caisson.close();
      opened.dispose();
    });
    cases({ backend, caisson: () => now().caisson, modules: () => now().modules });
  });
}
