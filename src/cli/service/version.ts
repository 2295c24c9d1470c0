/** Command line and service are of one version: nothing is guessed about another one. */
import { CaissonError } from '../../errors.ts';
import { version } from '../../lib/build.ts';
import type { ServiceRecord } from '../../lib/service-record.ts';

export function checkVersion({ version: ofService }: Pick<ServiceRecord, 'version'>): void {
  const own = version();
  if (ofService === own) return;
  throw new CaissonError('failed_precondition', `the service has version ${ofService}, and this is version ${own}`, {
    details: { service: ofService, own },
    remedy:
      'caisson service stop, and start it again with this version; or add --embedded, which goes without the service',
  });
}
