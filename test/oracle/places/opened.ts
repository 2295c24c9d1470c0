/** Caisson on a state directory of its own: the library with and without lanes, a service with its client, and a host of MCP. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { connectCaisson } from '../../../src/client/index.ts';
import { serve } from '../../../src/http/serve.ts';
import { openCaisson } from '../../../src/main.ts';
import { connect } from '../../mcp/hosts.ts';
import { type Ours, runners } from '../ours.ts';
import type { Damage } from '../defects/defect.ts';
import type { OraclePlace } from '../place.ts';

export interface OpenOraclePlace extends Pick<OraclePlace, 'run'>, AsyncDisposable {
  readonly direct: Ours['direct'];
  /** Id of the sandbox in which all commands run, at its place: such as the id of a container. */
  readonly resource: string | null;
}

export interface Settings {
  /** The section `terminal`, one key a line. */
  readonly terminal: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const taskId = 'oracle';

export async function openOurs(
  { terminal, env }: Settings,
  damage: Damage = (sound) => sound,
): Promise<OpenOraclePlace> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-oracle-home-')));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  const config = `terminal: {${terminal}, timeout: 40}\napprovals: {mode: "off"}\n`;
  writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 });
  const own = { PATH: process.env['PATH'], HOME: root, CAISSON_SECURITY_TIRITH_ENABLED: 'false', ...env };
  const input = { home, env: own, cwd: root, approver: 'queue' } as const;
  const library = await openCaisson(input);
  const direct = await openCaisson({ ...input, flags: { 'exec.lanes': false } });
  const settings = { ...library.config.server, port: 0, shutdown_seconds: 0.5 };
  const serving = await serve(library, { settings, isPublic: false, log: new PassThrough().resume() });
  const { token } = await library.tokens.create({ name: 'oracle', scopes: ['run', 'read', 'admin'] }, 'test');
  const client = connectCaisson({ url: serving.url, token });
  const mcp = await connect('the current client', { url: `${serving.url}/mcp`, token });
  const { sandbox } = await library.sandboxes.create({ taskId });
  const { where } = await library.run({ taskId, command: ['true'] });
  const sound = { library, direct, client, mcp, taskId };
  return {
    run: async (path, run) => await runners[path](damage(sound), run),
    direct,
    resource: where.resource,
    [Symbol.asyncDispose]: async () => {
      await mcp[Symbol.asyncDispose]();
      await client.close();
      await serving.stop();
      await library.sandboxes.remove(sandbox.id);
      await direct.close();
      await library.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
