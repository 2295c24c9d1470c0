import { CaissonError, toCaissonError } from '../../errors.ts';
import type { CaissonApi } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { readCount } from '../values.ts';

export const serve = defineCommand({
  name: 'serve',
  summary: 'Serve the HTTP API',
  about: `On 127.0.0.1, or as the section server of the configuration says. Every client needs a token of
\`caisson token create\`. Logs go to stderr, one JSON object a line.

SIGINT or SIGTERM stops it: streams end with where to resume, commands have server.shutdown_seconds
to end, detached processes go on. A second signal ends it at once. SIGHUP reads the configuration
again, where stdin is no terminal.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {
    host: { type: 'text', value: 'ADDRESS', about: 'instead of server.host' },
    port: { type: 'text', value: 'PORT', about: 'instead of server.port; 0: a free one' },
    socket: { type: 'text', value: 'PATH', about: 'a unix socket instead, for this user alone' },
    public: { type: 'flag', about: 'other hosts may reach it; needs a certificate or a proxy' },
  },
  examples: [
    ['for this host', 'serve'],
    ['on a socket', 'serve --socket /run/user/1000/caisson.sock'],
  ],
  run: async (given, context) => {
    const api = await context.remote();
    const port = given.text('port');
    const host = given.text('host');
    const socket = given.text('socket');
    const settings = {
      ...api.config.server,
      ...(host === undefined ? {} : { host, socket: null }),
      ...(port === undefined ? {} : { port: readPort(port), socket: null }),
      ...(socket === undefined ? {} : { socket }),
    };
    const http = await import('../../http/serve.ts');
    const serving = await http.serve(api, { settings, isPublic: given.flag('public'), log: context.world.stderr });
    for (const text of serving.notices) context.notice(text);
    await context.print(`${serving.url}\n`);
    // A terminal sends it when it closes, which is an end as for every command.
    if (context.world.stdin.isTTY !== true) context.onHangup(() => void reload(api, context));
    await stopped(context.signal);
    await serving.stop();
    return 0;
  },
});

async function reload(api: CaissonApi, context: Context): Promise<void> {
  try {
    const { changed, needsRestart } = await api.config.reload();
    context.say(`configuration read again: ${changed.length === 0 ? 'nothing has changed' : changed.join(', ')}`);
    if (needsRestart.length > 0) context.say(`needs a restart: ${needsRestart.join(', ')}`);
  } catch (error) {
    context.say(`configuration not read, nothing has changed: ${toCaissonError(error).message}`);
  }
}

function readPort(text: string): number {
  const port = readCount('--port', text);
  if (port > 65_535) throw new CaissonError('invalid_argument', '--port is at most 65535');
  return port;
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
