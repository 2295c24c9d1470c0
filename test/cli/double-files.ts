import type { FilesApi } from '../../src/service/api.ts';
import { CaissonError } from '../../src/errors.ts';

const unused = (): Promise<never> => Promise.reject(new CaissonError('internal', 'no command uses file tools'));

export const files: Omit<FilesApi, 'copyIn' | 'copyOut'> = {
  read: unused,
  stream: unused,
  write: unused,
  patch: unused,
  list: unused,
  stat: unused,
  move: unused,
  remove: unused,
  search: unused,
  sync: unused,
  archive: unused,
  unpack: unused,
  watch: unused,
};
