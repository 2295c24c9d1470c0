/** Asks about a command and waits, until it is killed. Arguments: the state directory, a project. */
import { Budgets } from '../../src/budget/budgets.ts';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { known } from '../config/known.ts';
import { openGuard } from '../../src/guard/open.ts';
import { openStore } from '../../src/store/sqlite/open.ts';

const [home, project] = process.argv.slice(2);
if (home === undefined || project === undefined) throw new Error('usage: asker HOME PROJECT');
const loaded = await loadConfig({ backends: known, home, env: {}, cwd: project });
const { store } = await openStore(join(home, 'caisson.db'));
const { gate } = openGuard(
  { loaded, store, env: {}, cwd: project, budgets: new Budgets(() => ({})) },
  { approver: 'queue' },
);
await gate.admit(
  {
    execId: 'exec_1',
    taskId: 'build',
    backend: 'local',
    reach: 'host',
    subject: { kind: 'text', text: 'rm -rf ./build' },
    cwd: project,
    envNames: [],
    stdin: false,
  },
  {},
);
