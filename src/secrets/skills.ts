/** Variables that skills have opened for a task. They stay open for it as long as the service runs. */
import { skillVariables, type SkillVariables } from './skill.ts';

export class Skills {
  readonly #where: Parameters<typeof skillVariables>[1];
  readonly #byTask = new Map<string, Set<string>>();

  constructor(where: Parameters<typeof skillVariables>[1]) {
    this.#where = where;
  }

  async load(
    task: { readonly taskId: string; readonly ephemeral: boolean },
    paths: readonly string[],
  ): Promise<SkillVariables> {
    const loaded = await Promise.all(paths.map((path) => skillVariables(path, this.#where)));
    const opened = this.#byTask.get(task.taskId) ?? new Set();
    for (const name of loaded.flatMap(({ set }) => set)) opened.add(name);
    // A task without a name never comes back.
    if (opened.size > 0 && !task.ephemeral) this.#byTask.set(task.taskId, opened);
    return { set: [...opened], missing: [...new Set(loaded.flatMap(({ missing }) => missing))] };
  }
}
