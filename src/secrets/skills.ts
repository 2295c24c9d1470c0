/** What skills have opened for a task. It stays open for it as long as the service runs. */
import { skillNeeds, type SkillNeeds, type SkillSurroundings } from './skill.ts';

export class Skills {
  readonly #where: SkillSurroundings;
  readonly #byTask = new Map<string, ReadonlyMap<string, SkillNeeds>>();
  /** Those that the configuration wants are read once. */
  readonly #configured = new Map<string, Promise<SkillNeeds>>();

  constructor(where: SkillSurroundings) {
    this.#where = where;
  }

  async load(
    task: { readonly taskId: string; readonly ephemeral: boolean },
    { configured, asked }: { readonly configured: readonly string[]; readonly asked: readonly string[] },
  ): Promise<SkillNeeds> {
    const before = this.#byTask.get(task.taskId) ?? new Map<string, SkillNeeds>();
    if (configured.length + asked.length + before.size === 0) return nothing;
    const wanted = await Promise.all(configured.map((path) => this.#read(path)));
    const read = async (path: string) => [path, await skillNeeds(path, this.#where)] as const;
    const loaded = new Map(await Promise.all(asked.map(read)));
    // A task without a name never comes back.
    const opened = new Map([...before, ...loaded]);
    if (loaded.size > 0 && !task.ephemeral) this.#byTask.set(task.taskId, opened);
    const all = [...wanted, ...opened.values()];
    const fresh = [...wanted, ...loaded.values()];
    const cautions = unique(fresh.flatMap((needs) => needs.cautions ?? []));
    return {
      set: unique(all.flatMap(({ set }) => set)),
      missing: unique(fresh.flatMap(({ missing }) => missing)),
      files: unique(all.flatMap(({ files }) => files)),
      ...(cautions.length === 0 ? {} : { cautions }),
    };
  }

  #read(path: string): Promise<SkillNeeds> {
    const reading = this.#configured.get(path) ?? skillNeeds(path, this.#where);
    this.#configured.set(path, reading);
    reading.catch(() => this.#configured.delete(path)); // callers that wait get the error; the next command tries again
    return reading;
  }
}

const nothing: SkillNeeds = { set: [], missing: [], files: [] };

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
