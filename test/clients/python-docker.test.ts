/** Cases of the Python client whose result depends on the place, on docker. */
import { dockerHome, unavailable } from '../api/subjects/docker.ts';
import { settings } from '../api/settings.ts';
import { pythonTable } from './table.ts';

const ids = [
  ...['execs.run.exit-42', 'execs.run.streams', 'execs.run.arguments', 'execs.run.timeout', 'execs.run.input-large'],
  ...['execs.start.streams', 'execs.start.stdin', 'execs.start.cancel', 'execs.run.ephemeral', 'sessions.run.state'],
  ...['files.read.whole', 'files.stat.kinds', 'files.write.large', 'files.archive.tree', 'processes.start.started'],
  ...['sandboxes.stop.stopped', 'python.cancel.run', 'python.input.large'],
  ...['adapter.hermes.runs', 'adapter.inspect.runs', 'adapter.deepagents.runs', 'adapter.harbor.runs'],
];

pythonTable({
  name: 'the Python client',
  backend: 'docker',
  flavour: 'asyncio',
  ids,
  unavailable,
  home: () => dockerHome(settings),
});
