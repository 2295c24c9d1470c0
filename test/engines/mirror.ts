/** Finds the mirror from which this machine itself gets Debian 12. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** `null` elsewhere, as on Ubuntu. */
export async function debianMirror(): Promise<string | null> {
  const format = '$(CODENAME) $(COMPONENT) $(REPO_URI)';
  const { stdout } = await run('apt-get', ['indextargets', '--format', format, 'Created-By: Packages']);
  const line = stdout.split('\n').find((each) => each.startsWith('bookworm main '));
  return line === undefined ? null : line.slice('bookworm main '.length);
}
