/** What `openCaisson` gives. */
import type { CaissonApi } from './api.ts';
import type { TaskHandle } from './verbs/task-handle.ts';

export type { TaskHandle } from './verbs/task-handle.ts';

/** The API in this process. */
export interface CaissonLibrary extends CaissonApi, AsyncDisposable {
  /** The verbs of one task: `caisson.task('build').run({ command: ['make'] })`. */
  task(id: string): TaskHandle<CaissonApi>;
}
