import { type Apptainer, hasApptainer, startApptainer } from '../../engines/apptainer.ts';
import { failpoints } from './suite.ts';

let apptainer: Apptainer | null = null;

failpoints({
  backend: 'singularity',
  isSampled: true,
  hasPool: true,
  isThere: hasApptainer(),
  open: async () => {
    apptainer = await startApptainer();
    const { scratch_dir, cache_dir } = apptainer.settings;
    const settings = {
      singularity_image: apptainer.busybox,
      singularity_scratch_dir: scratch_dir,
      singularity_cache_dir: cache_dir,
    };
    const { PATH = '', HOME = '' } = apptainer.env;
    return { settings, env: { PATH, HOME } };
  },
  close: () => apptainer?.remove(),
});
