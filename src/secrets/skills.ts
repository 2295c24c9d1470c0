/** What skills have opened for a task. It stays open for it as long as the service runs. */
import { skillNeeds, type SkillNeeds } from './skill.ts';

interface Opened {
  readonly names: Set<string>;
  readonly files: Set<string>;
}

export class Skills {
  readonly #where: Parameters<typeof skillNeeds>[1];
  readonly #byTask = new Map<string, Opened>();

  constructor(where: Parameters<typeof skillNeeds>[1]) {
    this.#where = where;
  }

  async load(
    task: { readonly taskId: string; readonly ephemeral: boolean },
    paths: readonly string[],
  ): Promise<SkillNeeds> {
    const before = this.#byTask.get(task.taskId);
    if (paths.length === 0 && before === undefined) return nothing;
    const loaded = await Promise.all(paths.map((path) => skillNeeds(path, this.#where)));
    const opened = before ?? { names: new Set(), files: new Set() };
    for (const name of loaded.flatMap(({ set }) => set)) opened.names.add(name);
    for (const path of loaded.flatMap(({ files }) => files)) opened.files.add(path);
    // A task without a name never comes back.
    if (!task.ephemeral) this.#byTask.set(task.taskId, opened);
    const missing = [...new Set(loaded.flatMap((each) => each.missing))];
    return { set: [...opened.names], missing, files: [...opened.files] };
  }
}

const nothing: SkillNeeds = { set: [], missing: [], files: [] };
