/**
 * What core builds on a backend: lanes, sessions, detached processes, programs and copies of credential files, tried on the
 * same places as the contract. The contract's own cases import nothing of core.
 */
import { guardianCommand } from '../../../src/exec/lane/guardian.ts';
import type { More } from '../suite.ts';
import { codeCases } from './code.ts';
import { credentialCopyCases } from './credentials.ts';
import { detachedCases } from './detached.ts';
import { laneCases } from './lanes.ts';
import { sessionCases } from './sessions.ts';
import { userCoreCases } from './users.ts';
import { visibleCases } from './visible.ts';

export const core: More = {
  cases: [sessionCases, detachedCases, codeCases, credentialCopyCases, laneCases, userCoreCases, visibleCases],
  init: guardianCommand('conformance'),
};
