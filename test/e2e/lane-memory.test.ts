/** What a command can read in the memory of the lanes of its sandbox, of secrets that other commands were given. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeHome } from './home.ts';

const canary = 'declared-canary-8877';
const debian = 'caisson-test/debian:latest';

/**
 * Looks through the memory of every lane, and says which have the secret. A command has it from its own request, and so has what
 * carries it, `caisson-watch` and its timer, which may still be ending for an earlier command on a busy machine.
 */
const search = `my (@having, $lanes);
for my $pid (map { m{/proc/(\\d+)$} } glob "/proc/[0-9]*") {
  open(my $line, "<", "/proc/$pid/cmdline") or next;
  (my $name = <$line> // "") =~ tr/\\0\\n/  /;
  next unless $name =~ /caisson-(?:lane|init)/;
  $lanes++;
  open(my $maps, "<", "/proc/$pid/maps") or next;
  open(my $mem, "<:raw", "/proc/$pid/mem") or next;
  while (<$maps>) {
    my ($from, $to) = /^([0-9a-f]+)-([0-9a-f]+) rw/ or next;
    my $length = hex($to) - hex($from);
    next unless sysseek($mem, hex($from), 0) && sysread($mem, my $bytes, $length);
    push @having, "$pid $name" if index($bytes, "declared-canary" . "-8877") >= 0;
  }
}
print $lanes ? "in memory of: @having\\n" : "no lanes\\n";`;

it('where a command can read the memory of lanes, secrets do not reach them', { timeout: 120_000 }, async () => {
  await using home = await makeHome();
  await writeFile(join(home.path, 'config.yaml'), 'terminal: {docker_forward_env: [DEPLOY_SECRET]}\n', { mode: 0o600 });
  const caisson = await home.open({}, { DEPLOY_SECRET: canary, CAISSON_TERMINAL_DOCKER_IMAGE: debian });
  const say = async (command: readonly [string, ...string[]]): Promise<string> =>
    (await caisson.run({ taskId: 'work', command })).stdout.text;
  for (let count = 0; count < 4; count += 1) expect(await say(['sh', '-c', 'echo "$DEPLOY_SECRET"'])).toContain('[');
  const { effective } = await caisson.sandboxes.get('work');
  const isProtected = Number(effective?.['ptraceScope'] ?? 0) > 0;
  const parent = await say(['sh', '-c', 'tr "\\0" " " <"/proc/$PPID/cmdline"']);
  expect(parent).toMatch(isProtected ? /caisson-(?:lane|init)/ : /caisson-watch/);
  if (!isProtected) expect(await say(['perl', '-e', search])).toBe('in memory of: \n');
});
