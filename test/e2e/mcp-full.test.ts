/** Hosts start one MCP server each, and all of them count in the limit of processes of one sandbox, which a real engine holds. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { dockerHost } from '../engines/docker.ts';
import { cli, type Home, makeHome } from './home.ts';

const host = dockerHost();

/** Takes every process that is left, says so in a message, and reads its input to the end. */
const greedy =
  '(while :; do sleep 600 & done) 2>/dev/null; echo "{\\"jsonrpc\\":\\"2.0\\",\\"method\\":\\"full\\"}"; exec cat';

function started(home: Home) {
  const child = spawn(process.execPath, [cli, 'mcp', 'run', 'greedy'], { env: home.env, stdio: 'pipe' });
  const ended = once(child, 'exit');
  return { child, ended, line: once(createInterface({ input: child.stdout }), 'line'), said: text(child.stderr) };
}

describe.skipIf(host === null)('caisson mcp run, in a sandbox without a free process', () => {
  it('ends with an error that says so, and starts again when there is room', { timeout: 120_000 }, async () => {
    await using home = await makeHome();
    const server = { command: 'sh', args: ['-c', greedy] };
    const config = { mcp_servers: { greedy: server }, terminal: { backend: 'docker', container_pids: 32 } };
    await writeFile(join(home.path, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
    const first = started(home);
    expect(await first.line).toEqual(['{"jsonrpc":"2.0","method":"full"}']);

    const second = started(home);
    second.line.catch(() => undefined);
    const [code]: readonly unknown[] = await second.ended;
    expect([code, await second.said]).toEqual([125, expect.stringMatching(/container_pids/)]);
    expect(first.child.exitCode).toBeNull();

    first.child.stdin.end();
    await first.ended;
    const third = started(home);
    expect(await third.line).toEqual(['{"jsonrpc":"2.0","method":"full"}']);
    third.child.stdin.end();
    await third.ended;
  });
});
