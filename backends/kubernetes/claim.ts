/** The claim on a volume that keeps the files of a task. */
import type { CreateOptions } from '../../src/backend.ts';
import { manifestAnnotation, metadataOf } from './records.ts';
import type { Settings } from './settings.ts';

/** A volume is what the class makes of it: the size is its promise. Without a limit on disk, so much is asked for. */
const usualBytes = 10 * 2 ** 30;

export interface ClaimMaking {
  readonly options: Pick<CreateOptions, 'name' | 'labels'>;
  readonly settings: Pick<Settings, 'storageClass'>;
  readonly network: string;
  /** Manifest from which its pod is made when it is started again. */
  readonly manifest: unknown;
}

export function claimOf({ options, settings, network, manifest }: ClaimMaking) {
  const metadata = metadataOf(options.name, options.labels, { network });
  const annotations = { ...metadata.annotations, [manifestAnnotation]: JSON.stringify(manifest) };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...metadata, annotations },
    spec: {
      accessModes: ['ReadWriteOnce'],
      volumeMode: 'Filesystem',
      resources: { requests: { storage: String(usualBytes) } },
      ...(settings.storageClass === null ? {} : { storageClassName: settings.storageClass }),
    },
  };
}
