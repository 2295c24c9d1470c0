/** What a row keeps while it is a member of the pool, the order in which members are given out, and the list of them. */
export const poolSchema = `
  ALTER TABLE sandboxes ADD COLUMN pool TEXT;
  CREATE INDEX sandboxes_pooled ON sandboxes (fingerprint, created_at, id) WHERE state = 'pooled';
  CREATE INDEX sandboxes_members ON sandboxes (created_at, id) WHERE pool IS NOT NULL;`;
