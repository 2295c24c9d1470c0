/**
 * Indexes for pages of sandboxes, of one owner and of all, and for questions that wait. The owner is what `ownerOf` in
 * `values/owner.ts` reads from the task, computed by SQLite, so that no writer can set another one.
 */
export const pagesSchema = `
  ALTER TABLE sandboxes ADD COLUMN owner TEXT GENERATED ALWAYS AS (
    CASE WHEN task_id GLOB '[a-z]*.*' AND instr(task_id, '.') <= 33
      AND substr(task_id, 1, instr(task_id, '.') - 1) NOT GLOB '*[^a-z0-9-]*'
    THEN substr(task_id, 1, instr(task_id, '.') - 1) ELSE 'operator' END) VIRTUAL;
  CREATE INDEX sandboxes_by_age ON sandboxes (created_at, id);
  CREATE INDEX sandboxes_by_owner ON sandboxes (owner, created_at, id);
  CREATE INDEX approvals_pending ON approvals (created_at) WHERE state = 'pending';`;
