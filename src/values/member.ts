/** Members of the pool have a key of their own in the place of a task: no task and no owner has a colon in its name. */
const prefix = 'pool:';

/** What stands for the task of a member. */
export const memberTask = (sandboxId: string): string => prefix + sandboxId;

export const isMember = (taskKey: string): boolean => taskKey.startsWith(prefix);
