/** `node scripts/path.ts`: files of this project that one exec runs through, by V8's coverage. A lane is there before it is counted. */
import { Session } from 'node:inspector/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openCaisson } from '../src/index.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const home = await mkdtemp(join(tmpdir(), 'caisson-path-'));
const session = new Session();
session.connect();
try {
  await writeFile(join(home, 'config.yaml'), 'terminal: {backend: local}\n', { mode: 0o600 });
  const caisson = await openCaisson({ home, env: process.env });
  const run = async (): Promise<unknown> => await caisson.run({ taskId: 'path', command: ['true'] });
  await run();
  await run();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await caisson.close();
  const files = result
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .flatMap(({ url }) => (url.startsWith('file:') ? [relative(root, fileURLToPath(url))] : []))
    .filter((file) => /^(?:src|backends)\//.test(file))
    .toSorted();
  console.log(`${files.join('\n')}\n${files.length} files`);
} finally {
  session.disconnect();
  await rm(home, { recursive: true, force: true });
}
