/** The Python package as a whole: grammar, types, an install without a network, and what it shares with `src/errors.ts`. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { codes } from '../../src/errors.ts';
import { clientFolder, python, python3 } from './python.ts';

const run = promisify(execFile);
const files = (await readdir(clientFolder))
  .filter((name) => name.endsWith('.py'))
  .map((name) => join(clientFolder, name));
const env = { PATH: '/usr/bin:/bin', HOME: tmpdir(), PYTHONDONTWRITEBYTECODE: '1' };

it('has the grammar of Python 3.9', async () => {
  const parse =
    'import ast, sys; [ast.parse(open(name).read(), name, feature_version=(3, 9)) for name in sys.argv[1:]]';
  await python(['-c', parse, ...files]);
  expect(files.length).toBeGreaterThan(1);
});

it('imports nothing but the standard library', async () => {
  const text = [
    'import ast, sys',
    'tree = ast.parse(open(sys.argv[1]).read())',
    'names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}',
    'names |= {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}',
    'print(sorted(name for name in names if name.split(".")[0] not in sys.stdlib_module_names))',
  ].join('\n');
  expect(await python(['-c', text, join(clientFolder, 'caisson.py')])).toBe('[]\n');
});

it('has clean types', { timeout: 120_000 }, async () => {
  const typed = files.filter((name) => basename(name).startsWith('caisson'));
  const types = ['--strict', '--python-version', '3.9', '--cache-dir', '/dev/null', ...typed];
  const { stdout } = await run('/usr/bin/mypy', types, { cwd: clientFolder, env });
  expect(stdout).toBe(`Success: no issues found in ${typed.length} source files\n`);
});

it('has a class for each code of an error, and calls the same ones retryable', async () => {
  const text = 'import caisson, json; print(json.dumps({c: k("x").retryable for c, k in caisson.ERRORS.items()}))';
  const wanted = Object.entries(codes).map(([code, { retryable }]) => [code, retryable]);
  expect(JSON.parse(await python(['-c', text]))).toEqual(Object.fromEntries(wanted));
});

it('has the same verbs with the same arguments for programs that block and for asyncio', async () => {
  const text = [
    'import caisson, inspect, json',
    'names = [n[5:] for n, k in vars(caisson).items() if n.startswith("Async") and k.__module__ == "caisson"]',
    'def shown(kind):',
    '    members = inspect.getmembers(kind, inspect.isfunction)',
    '    return {n: list(inspect.signature(f).parameters) for n, f in members if not n.startswith("_")}',
    'print(json.dumps([[n, shown(getattr(caisson, "Async" + n)), shown(getattr(caisson, n))] for n in names]))',
  ].join('\n');
  const found: unknown = JSON.parse(await python(['-c', text]));
  const pairs = Array.isArray(found) ? found : [];
  expect(pairs.length).toBe(8);
  for (const [name, ofAsyncio, ofBlocking] of pairs) expect([name, ofAsyncio]).toEqual([name, ofBlocking]);
});

it('is installed from its folder without a network', { timeout: 120_000 }, async () => {
  const target = await mkdtemp(join(tmpdir(), 'caisson-python-'));
  try {
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-cache-dir', '--target', target, clientFolder];
    await run(python3, pip, { env: { ...env, PIP_CONFIG_FILE: '/dev/null' } });
    const names = (await readdir(target)).filter((name) => name.endsWith('.py'));
    expect(names).toContain('caisson.py');
    const version = 'import importlib.metadata as m; print(m.version("caisson"))';
    const { stdout } = await run(python3, ['-S', '-c', version], { cwd: target, env: { ...env, PYTHONPATH: target } });
    expect(stdout).toBe('0.1.0\n');
  } finally {
    await rm(target, { recursive: true });
  }
});
