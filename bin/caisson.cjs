// The start of the command line, by way of `bin/caisson`. Plain CommonJS for any Node from 18 on, since that starts fastest: it
// answers what needs no service by itself, and sees to it that everything else runs on a Node that is new enough.
/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return, typescript/unbound-method -- no types here */
'use strict';
const { existsSync, readFileSync, writeSync } = require('node:fs');
const { dirname } = require('node:path');

const wantedMajor = 24;
const failureExitCode = 125;
const brokenPipeExitCode = 141;
const args = process.argv.slice(2);
const root = dirname(__dirname);

if (args.length === 0 || (args.length === 1 && ['--help', '-h', 'help'].includes(args[0]))) {
  print(folded(readFileSync(`${__dirname}/help.txt`, 'utf8'), columnsOfTerminal()));
} else if (args.length === 1 && ['--version', '-V', '-v'].includes(args[0])) {
  print(`caisson ${JSON.parse(readFileSync(`${root}/package.json`, 'utf8')).version}\n`);
} else if (majorOf(process.versions.node) >= wantedMajor) {
  runHere();
} else {
  runOnNewerNode();
}

/** Straight to the descriptor: to open the stream of stdout takes longer than all the rest. */
function print(text) {
  try {
    writeSync(1, text);
  } catch (error) {
    // A pipe that is full for now is the stream's business; a reader that has gone needs no message.
    if (error.code === 'EAGAIN') process.stdout.write(text);
    else process.exitCode = error.code === 'EPIPE' ? brokenPipeExitCode : failureExitCode;
  }
}

/** A pipe has none; to open the stream of stdout to ask would take longer than all the rest. */
function columnsOfTerminal() {
  return require('node:tty').isatty(1) ? process.stdout.columns || Infinity : Infinity;
}

/** Long lines go on below their column, with every word whole. `src/cli/help.ts` does so for the help of a command. */
function folded(text, width) {
  return text.replace(/^.+$/gm, (line) => {
    if (line.length <= width) return line;
    const [head] = /^ *(?:\S(?:\S| (?! ))* {2,})?/.exec(line);
    const indent = width - head.length < 16 ? 4 : head.length;
    const lines = [head];
    for (const word of line.slice(head.length).split(' ')) {
      const last = lines.at(-1);
      const isBlank = last.trim() === '' || last === head;
      if (last.length + (isBlank ? 0 : 1) + word.length <= width || last.trim() === '')
        lines.push(`${lines.pop()}${isBlank ? '' : ' '}${word}`);
      else lines.push(`${' '.repeat(indent)}${word}`);
    }
    return lines.map((each) => each.trimEnd()).join('\n');
  });
}

function majorOf(version) {
  return Number.parseInt(version, 10);
}

function fail(message, remedy) {
  writeSync(2, `caisson: ${message}\n  try: ${remedy}\n`);
  process.exitCode = failureExitCode;
}

/** A checkout runs unbuilt; a package has only what was built. */
function runHere() {
  require('./one-tier.cjs').keepToOneTier();
  const source = `${root}/src/cli/main.ts`;
  const bundle = `${root}/dist/code/cli.cjs`;
  if (existsSync(source)) return runSource(source);
  if (existsSync(bundle)) return require('./code-cache.cjs').run(bundle, args).main(args);
  fail('this copy of Caisson is not complete: it has neither src nor dist', 'npm run build, or install it again');
}

/** Eight hundred files: loading them grows the young generation, which output would fill with dead chunks (see process.js). */
async function runSource(source) {
  keepCompiledCode();
  require('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
  const { main } = await import(require('node:url').pathToFileURL(source).href);
  await main(args);
}

/** In a directory of the user's own: Node's default is a shared one, where anybody could lay down code for others to run. */
function keepCompiledCode() {
  const { enableCompileCache } = require('node:module');
  const { NODE_COMPILE_CACHE: chosen } = process.env;
  const directory = chosen || require('./code-cache.cjs').directoryOf('compile');
  if (directory !== null) enableCompileCache?.(directory);
}

function runOnNewerNode() {
  const node = findNode();
  if (node === null) {
    return fail(
      `Caisson needs Node ${wantedMajor} or newer, and this is ${process.version} (${process.execPath})`,
      `install Node ${wantedMajor} (https://nodejs.org), or npm install node@${wantedMajor} beside Caisson`,
    );
  }
  const { spawn } = require('node:child_process');
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const passOn = (signal) => child.kill(signal);
  // Before the start: a signal that arrives right after it would end this process and leave the other one behind.
  for (const signal of signals) process.on(signal, passOn);
  const child = spawn(node, ['--', __filename, ...args], { stdio: 'inherit' });
  child.on('error', (error) => fail(`${node} does not start: ${error.message}`, `install Node ${wantedMajor}`));
  child.on('exit', (exitCode, signal) => {
    for (const name of signals) process.off(name, passOn);
    if (signal === null) process.exitCode = exitCode;
    else process.kill(process.pid, signal);
  });
}

/** The `node` package brings a binary of its own version. */
function findNode() {
  try {
    const manifest = require.resolve('node/package.json');
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
    const binary = manifest.replace(/package\.json$/, 'bin/node');
    return majorOf(version) >= wantedMajor && existsSync(binary) ? binary : null;
  } catch {
    // Not installed: the caller says what is needed.
    return null;
  }
}
