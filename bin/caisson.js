// The start of the command line, by way of `bin/caisson`. Plain JavaScript for any Node from 18 on: it answers what needs no service by itself,
// and sees to it that everything else runs on a Node that is new enough.
/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- no types here */
import { existsSync, readFileSync, writeSync } from 'node:fs';

const wantedMajor = 24;
const failureExitCode = 125;
const brokenPipeExitCode = 141;
const args = process.argv.slice(2);
const about = (name) => new URL(name, import.meta.url);

if (args.length === 0 || (args.length === 1 && ['--help', '-h', 'help'].includes(args[0]))) {
  print(readFileSync(about('help.txt'), 'utf8'));
} else if (args.length === 1 && ['--version', '-V'].includes(args[0])) {
  print(`caisson ${JSON.parse(readFileSync(about('../package.json'), 'utf8')).version}\n`);
} else if (majorOf(process.versions.node) >= wantedMajor) {
  await runHere();
} else {
  await runOnNewerNode();
}

/** Straight to the descriptor: to open the stream of stdout takes longer than all the rest. */
function print(text) {
  try {
    writeSync(1, text);
  } catch (error) {
    // A pipe that is full for now is the stream's business; nobody needs to hear that the reader has gone.
    if (error.code === 'EAGAIN') process.stdout.write(text);
    else process.exitCode = error.code === 'EPIPE' ? brokenPipeExitCode : failureExitCode;
  }
}

function majorOf(version) {
  return Number.parseInt(version, 10);
}

function fail(message, remedy) {
  writeSync(2, `caisson: ${message}\n  try: ${remedy}\n`);
  process.exitCode = failureExitCode;
}

/** A checkout runs unbuilt; a package has only what was built. */
async function runHere() {
  const entry = ['../src/cli/main.ts', '../dist/src/cli/main.js'].map(about).find((url) => existsSync(url));
  if (entry === undefined)
    return fail(
      'this copy of Caisson is not complete: it has neither src nor dist',
      'npm run build, or install it again',
    );
  await import('./process.js');
  const { main } = await import(entry.href);
  await main(args);
}

async function runOnNewerNode() {
  const node = await findNode();
  if (node === null) {
    return fail(
      `Caisson needs Node ${wantedMajor} or newer, and this is ${process.version} (${process.execPath})`,
      `install Node ${wantedMajor} (https://nodejs.org), or npm install node@${wantedMajor} beside Caisson`,
    );
  }
  const [{ spawn }, { fileURLToPath }] = await Promise.all([import('node:child_process'), import('node:url')]);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const passOn = (signal) => child.kill(signal);
  // Before the start: a signal that arrives right after it would end this process and leave the other one behind.
  for (const signal of signals) process.on(signal, passOn);
  const child = spawn(node, ['--', fileURLToPath(import.meta.url), ...args], { stdio: 'inherit' });
  child.on('error', (error) => fail(`${node} does not start: ${error.message}`, `install Node ${wantedMajor}`));
  child.on('exit', (exitCode, signal) => {
    for (const name of signals) process.off(name, passOn);
    if (signal === null) process.exitCode = exitCode;
    else process.kill(process.pid, signal);
  });
}

/** The `node` package brings a binary of its own version. */
async function findNode() {
  const { createRequire } = await import('node:module');
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json');
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
    const binary = manifest.replace(/package\.json$/, 'bin/node');
    return majorOf(version) >= wantedMajor && existsSync(binary) ? binary : null;
  } catch {
    // Not installed: the caller says what is needed.
    return null;
  }
}
