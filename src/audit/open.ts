/** The audit of a state directory, for each process that writes to it. Nothing is made before the first record. */
import { join } from 'node:path';
import { auditIn } from './log.ts';
import type { Audit } from './types.ts';
import type { Loaded } from '../config/types.ts';
import type { Store } from '../store/store.ts';

export function openAudit({ home, config }: Loaded, { holderId: holder }: Pick<Store, 'holderId'>): Audit {
  const { file_bytes: fileBytes, store_bytes: storeBytes } = config.audit;
  return auditIn(join(home, 'audit'), { fileBytes, storeBytes, holder });
}
