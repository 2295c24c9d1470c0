/** `npm run bench -- [NAME...] [--json] [--quick] [--check] [--image REFERENCE]` */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CaissonError, toCaissonError } from '../src/errors.ts';
import type { Bench, BenchInput } from './bench.ts';
import { benches } from './cases/index.ts';
import { openPlace, type BenchPlace } from './place.ts';
import { jsonLine, tableHead, tableLine } from './print.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    image: { type: 'string' },
    rows: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) printHelp();
else process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const chosen = choose(positionals);
    if (!values.json && !values.rows) process.stdout.write(`${tableHead}\n`);
    const [first] = chosen;
    return first !== undefined && chosen.length === 1 ? await alone(first) : await oneByOne(chosen);
  } catch (error) {
    const { code, message, remedy } = toCaissonError(error);
    process.stderr.write(`bench: ${code}: ${message}\n${remedy === null ? '' : `  ${remedy}\n`}`);
    return 2;
  }
}

/** Each in a process of its own: one that has grown with the benches before starts its peers at half the speed. */
async function oneByOne(chosen: readonly Bench[]): Promise<number> {
  const { json, quick, image } = values;
  const flags = ['--rows', '--check', ...(json ? ['--json'] : []), ...(quick ? ['--quick'] : [])];
  const place = image === undefined ? [] : ['--image', image];
  let isMissed = false;
  for (const { name } of chosen) {
    const args = [...process.execArgv, fileURLToPath(import.meta.url), name, ...flags, ...place];
    const code = await exitOf(spawn(process.execPath, args, { stdio: 'inherit' }));
    if (code !== 0 && code !== 1) return 2;
    isMissed ||= code === 1;
  }
  return values.check && isMissed ? 1 : 0;
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
}

async function alone(bench: Bench): Promise<number> {
  let opened: Promise<BenchPlace> | null = null;
  const place = (): Promise<BenchPlace> => (opened ??= openPlace(values.image ?? null));
  try {
    const missed = await report(bench, { place, quick: values.quick });
    return values.check && missed > 0 ? 1 : 0;
  } finally {
    // Not awaited above when it failed to open: then there is nothing to close, and the failure is reported.
    await (opened as Promise<BenchPlace> | null)?.then(
      (at) => at.close(),
      () => undefined,
    );
  }
}

/** How many targets were missed. */
async function report(bench: Bench, input: BenchInput): Promise<number> {
  let missed = 0;
  for await (const figure of bench.run(input)) {
    process.stdout.write(`${values.json ? jsonLine(bench.name, figure) : tableLine(bench.name, figure)}\n`);
    if (figure.ok === false) missed++;
  }
  return missed;
}

function choose(names: readonly string[]): readonly Bench[] {
  const unknown = names.find((name) => !benches.some((bench) => bench.name === name));
  if (unknown !== undefined) {
    throw new CaissonError('invalid_argument', `there is no bench "${unknown}"`, {
      remedy: `Choose of: ${benches.map((bench) => bench.name).join(', ')}`,
    });
  }
  return names.length === 0 ? benches : benches.filter((bench) => names.includes(bench.name));
}

function printHelp(): void {
  const lines = benches.map((bench) => `  ${bench.name.padEnd(8)} ${bench.about}`);
  process.stdout.write(
    `npm run bench -- [NAME...] [--json] [--quick] [--check] [--image REFERENCE]\n\n${lines.join('\n')}\n`,
  );
}
