/** What the protocol costs commands that do not speak it: nothing. */
import { expect, it } from 'vitest';
import { finished, scratch, start } from '../cli/process.ts';
import { sourceProgram as bin } from '../program.ts';

/** Shows every file that Node loads, on stderr. */
const showLoads = `data:text/javascript,${encodeURIComponent(
  "import { registerHooks } from 'node:module'; registerHooks({ load(url, context, next) { process.stderr.write('LOAD ' + url + '\\n'); return next(url, context); } });",
)}`;

it('only `caisson mcp` loads the protocol, and a service with its first request', async () => {
  await using at = await scratch();
  const env = { ...at.env, CAISSON_TERMINAL_BACKEND: 'local' };
  const args = (...words: readonly string[]): readonly string[] => ['--import', showLoads, bin, ...words];
  const loads = async (...words: readonly string[]): Promise<readonly string[]> =>
    partsIn((await finished(process.execPath, args(...words), env)).stderr);
  expect(await loads('run', '-q', '--', 'true')).toEqual([]);
  expect(await loads('mcp', '--help')).toEqual([]);
  expect(await loads('mcp')).toEqual(expect.arrayContaining(['/src/mcp', '@modelcontextprotocol/server']));
  const service = start(process.execPath, args('serve', '--port', '0'), env);
  await service.wrote('http://127.0.0.1');
  service.child.kill('SIGTERM');
  const { stderr } = await service.ended;
  expect(stderr).toContain('/src/http/mcp.ts');
  expect(partsIn(stderr)).toEqual([]);
});

const partsIn = (stderr: string): readonly string[] =>
  [...stderr.matchAll(/^LOAD file:\S*(@modelcontextprotocol\/\w+|\/src\/mcp)\//gm)].map(([, name = '']) => name);

it('`caisson mcp` ends with 0 when its host closes stdin, and says nothing', async () => {
  await using at = await scratch();
  const ended = await finished(process.execPath, [bin, 'mcp'], at.env);
  expect([ended.exitCode, ended.stdout, ended.stderr]).toEqual([0, '', '']);
});
