/** The cluster as an open backend has it. */
import type { OpenOptions } from '../../src/backend.ts';
import type { Namespace } from './namespace.ts';
import type { Settings } from './settings.ts';
import type { Vigil } from './vigil.ts';

export interface Here {
  readonly namespace: Namespace;
  readonly settings: Settings;
  readonly vigil: Vigil;
  readonly refusals: OpenOptions['refusals'];
}
