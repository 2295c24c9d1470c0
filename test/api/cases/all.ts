import type { Suite } from '../suite.ts';
import { adminCases } from './admin.ts';
import { approvalCases } from './approvals.ts';
import { edgeCases } from './edges.ts';
import { fileRefusalCases } from './file-refusals.ts';
import { fileCases } from './files.ts';
import { installationCases } from './installation.ts';
import { lifeCases } from './life.ts';
import { historyCases } from './history.ts';
import { lookCases } from './look.ts';
import { lostCases } from './lost.ts';
import { poolCases } from './pool.ts';
import { processCases } from './processes.ts';
import { recordCases } from './records.ts';
import { runIdCases } from './run-ids.ts';
import { runUserCases } from './run-user.ts';
import { runCases } from './run.ts';
import { sandboxCases } from './sandboxes.ts';
import { sessionCases } from './sessions.ts';
import { startCases } from './start.ts';
import { togetherCases } from './together.ts';
import { treeCases } from './trees.ts';

/** One concern a file. */
export const cases: readonly ((suite: Suite) => void)[] = [
  sandboxCases,
  lifeCases,
  runCases,
  runIdCases,
  runUserCases,
  edgeCases,
  startCases,
  recordCases,
  historyCases,
  processCases,
  sessionCases,
  fileCases,
  fileRefusalCases,
  treeCases,
  approvalCases,
  togetherCases,
  lostCases,
  adminCases,
  poolCases,
  installationCases,
  lookCases,
];
