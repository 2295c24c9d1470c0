/** Options that users of docker type out of habit, and what does the same here. Source: the reference of docker's command line. */

const files =
  'caisson cp copies files in and out, files.sync mirrors a directory, and terminal.docker_mount_cwd_to_workspace: true mounts the current one';
const sandboxes = 'caisson ls lists sandboxes, stopped ones too; caisson ps lists what was started with --detach';
const detach = '--detach leaves a command running; caisson create makes a sandbox that stays';
const everyone = 'caisson run and caisson exec have --user, for one command; a sandbox itself runs as root';

const habits: Readonly<Record<string, string>> = {
  '-v': files,
  '--volume': files,
  '--mount': files,
  '-p': 'no port of a sandbox is published; run the client inside, by caisson exec',
  '--publish': 'no port of a sandbox is published; run the client inside, by caisson exec',
  '--name': 'did you mean --task?',
  '-d': detach,
  '-m': 'did you mean --memory?',
  '--cpus': 'did you mean --cpu?',
  '--workdir': 'did you mean --cwd?',
  '-u': everyone,
  '--user': everyone,
  '--entrypoint': 'the command behind -- is all that runs; an entry point of the image does not',
  '--privileged': 'a sandbox is never privileged; docs/hardening.md says what root inside may do',
  '--cap-add': 'capabilities are not added; docs/hardening.md says what root inside may do',
  '-a': 'all are listed; --filter state=stopped lists some',
  '--all': 'all are listed; --filter state=stopped lists some',
  '-f': 'a running sandbox is removed too, without a further option',
  '--force': 'a running sandbox is removed too, without a further option',
};

/** The remedy for an option of docker that the command does not have. `null` for every other option. */
export function habitOf(rawName: string, command: string): string | null {
  if (['-a', '--all'].includes(rawName) && !['ls', 'ps'].includes(command)) return null;
  if (['-a', '--all'].includes(rawName) && command === 'ps') return sandboxes;
  if (['-f', '--force'].includes(rawName) && command !== 'rm') return null;
  if (rawName === '--rm' && command === 'exec') return 'caisson run without --task removes its sandbox';
  return Object.hasOwn(habits, rawName) ? (habits[rawName] ?? null) : null;
}

/** Shows both readings of a command whose first word may be an image, as in `docker run IMAGE COMMAND`. */
export function separatedForms(start: readonly string[], words: readonly string[], takesImage: boolean): string {
  const line = (before: readonly string[], after: readonly string[]): string =>
    [...before, '--', ...after].map(shellWord).join(' ');
  const plain = line(start, words);
  const [image = '', ...rest] = words;
  if (!takesImage || start.includes('--image')) return plain;
  return `${plain}; where ${image} is an image: ${line([...start, '--image', image], rest.length === 0 ? ['sh'] : rest)}`;
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
