import type { Bench } from '../bench.ts';
import { apptainer } from './apptainer.ts';
import { burst } from './burst.ts';
import { callers } from './callers.ts';
import { cli } from './cli.ts';
import { cliExec, cliLs, cliRun } from './cli-commands.ts';
import { cliCp, cliExecService, cliLsService, cliRunService } from './cli-service.ts';
import { cold } from './cold.ts';
import { egress } from './egress.ts';
import { exec } from './exec.ts';
import { files } from './files.ts';
import { http } from './http.ts';
import { idle } from './idle.ts';
import { journal } from './journal.ts';
import { kubernetes } from './kubernetes.ts';
import { lanes } from './lanes.ts';
import { leak } from './leak.ts';
import { memory } from './memory.ts';
import { daytona } from './daytona.ts';
import { modal } from './modal.ts';
import { networks } from './networks.ts';
import { output } from './output.ts';
import { policy } from './policy.ts';
import { pool } from './pool.ts';
import { redact } from './redact.ts';
import { ssh } from './ssh.ts';
import { starts } from './starts.ts';
import { sync } from './sync.ts';

/** In the order in which they run without a name. */
export const benches: readonly Bench[] = [
  cli,
  cliExec,
  cliRun,
  cliLs,
  cliExecService,
  cliRunService,
  cliLsService,
  cliCp,
  policy,
  redact,
  egress,
  exec,
  lanes,
  journal,
  cold,
  pool,
  starts,
  networks,
  output,
  memory,
  files,
  sync,
  http,
  callers,
  idle,
  apptainer,
  ssh,
  daytona,
  modal,
  kubernetes,
  burst,
  leak,
];
