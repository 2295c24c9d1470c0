/** Copies a project into a new sandbox, runs its vitest suite there, and ends with the exit code of vitest. */
import { openCaisson } from 'caisson';

const [project = '.'] = process.argv.slice(2);
// Where the image has Node. Its `node_modules` come with the project, so that the sandbox needs no network.
const node = process.env['SANDBOX_NODE'] ?? 'node';
const taskId = `vitest-${process.pid}`;

const caisson = await openCaisson();
try {
  const made = await caisson.run({ taskId, network: 'none', allowDegraded: true, command: ['mktemp', '-d'] });
  const directory = `${made.stdout.text.trim()}/project`;
  await caisson.files.copyIn({ task: taskId, source: project, target: directory });
  const running = await caisson.exec({
    taskId,
    command: [node, 'node_modules/vitest/vitest.mjs', 'run', '--root', directory],
    cwd: directory,
    timeoutMs: 10 * 60_000,
  });
  const [exit] = await Promise.all([
    running.exit,
    print(running.stdout, process.stdout),
    print(running.stderr, process.stderr),
  ]);
  for (const note of exit.notes) console.error(note);
  process.exitCode = exit.reason === 'exited' ? (exit.exitCode ?? 1) : 1;
  // Where sandboxes share a file system (local, ssh) it would stay behind.
  await caisson.files.remove({ task: taskId, path: made.stdout.text.trim(), recursive: true });
} finally {
  await caisson.sandboxes.remove(taskId).catch(() => undefined);
  await caisson.close();
}

async function print(stream: AsyncIterable<Uint8Array>, to: NodeJS.WriteStream): Promise<void> {
  for await (const chunk of stream) to.write(chunk);
}
