/** The audit of a state directory, for each process that writes to it. Nothing is made before the first record. */
import { join } from 'node:path';
import { withActs } from './acts.ts';
import { auditIn } from './log.ts';
import type { Audit } from './types.ts';
import type { Loaded } from '../config/types.ts';
import type { Store } from '../store/store.ts';

export function openAudit({ home, config }: Loaded, store: Pick<Store, 'holderId' | 'history'>): Audit {
  const { file_bytes: fileBytes, store_bytes: storeBytes } = config.audit;
  const audit = auditIn(join(home, 'audit'), { fileBytes, storeBytes, holder: store.holderId });
  return withActs(audit, store.history);
}
