import { resolve } from 'node:path';
import { CaissonError, toCaissonError } from '../../errors.ts';
import type { Flags } from '../../http/serve.ts';
import type { CaissonApi } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import type { GivenOf, Options } from '../option.ts';
import { reloadLines } from '../reload.ts';
import { readCount, readDuration } from '../values.ts';

const options = {
  host: { type: 'text', value: 'ADDRESS', about: 'instead of server.host' },
  port: { type: 'text', value: 'PORT', about: 'instead of server.port; 0: a free one' },
  socket: { type: 'text', value: 'PATH', about: 'a unix socket instead, for this user alone' },
  public: { type: 'flag', about: 'other hosts may reach it; needs a certificate or a proxy' },
  background: { type: 'flag', about: 'start it, print its URL when it is ready, and leave it running' },
  'exit-when-idle': {
    type: 'text',
    value: 'TIME',
    about: 'end without a request or a command for so long, such as 10m',
  },
  alone: { type: 'flag', about: 'fail where another service of the state directory runs' },
  log: { type: 'text', value: 'FILE', about: 'the log goes to a file instead; its last 10 MB are kept' },
} as const satisfies Options;

type ServeArguments = GivenOf<typeof options>;

export const serve = defineCommand({
  name: 'serve',
  summary: 'Serve the HTTP API',
  about: `On 127.0.0.1, or as the section server of the configuration says. Every client needs a token of
\`caisson token create\`. Logs go to stderr, one JSON object a line. The command line of this user
reaches it without one, by service.sock in the state directory; a second service of the directory
runs without that socket.

With --background it is started apart from this terminal, with service.log in the state directory
as its log. Where one runs already, its URL is printed, unless it was started with other values of
the options that are given. See caisson service status, stop and logs.

SIGINT or SIGTERM stops it: streams end with where to resume, commands have server.shutdown_seconds
to end, detached processes go on. A second signal ends it at once. SIGHUP reads the configuration
again, where stdin is no terminal, as \`caisson config reload\` does. Rules that an edit of the file adds
to ask or deny, and hosts that it denies, hold before that.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options,
  examples: [
    ['for this host', 'serve'],
    ['on a socket', 'serve --socket /run/user/1000/caisson.sock'],
    ['for this session of work', 'serve --background --exit-when-idle 30m'],
  ],
  run: async (given, context) => {
    const idleMs = idleOf(given);
    const flags = flagsOf(given, context);
    if (given.flag('background')) {
      const { startInBackground } = await import('../background/start.ts');
      // What is wrong with the configuration is said here, and not in a log.
      await context.settings();
      return await startInBackground({ home: await context.home(), flags }, context);
    }
    const api = await context.remote();
    const http = await import('../../http/serve.ts');
    const file = given.text('log');
    const log = file === undefined ? context.world.stderr : http.openLogFile(resolve(context.world.cwd, file));
    const alone = given.flag('alone');
    const how = { settings: settingsOf(given, api), isPublic: given.flag('public'), log, alone, flags };
    const serving = await http.serve(api, { ...how, ...(idleMs === null ? {} : { idleMs }) });
    for (const text of serving.notices) context.notice(text);
    await context.print(`${serving.url}\n`);
    // A terminal sends it when it closes, which is an end as for every command.
    if (context.world.stdin.isTTY !== true) context.onHangup(() => void reload(api, context));
    await Promise.race([stopped(context.signal), serving.idle]);
    if (!context.signal.aborted) context.notice('nothing was to do for so long: it stops');
    await serving.stop();
    return 0;
  },
});

function settingsOf(given: ServeArguments, api: CaissonApi): CaissonApi['config']['server'] {
  const [port, host, socket] = [given.text('port'), given.text('host'), given.text('socket')];
  return {
    ...api.config.server,
    ...(host === undefined ? {} : { host, socket: null }),
    ...(port === undefined ? {} : { port: readPort(port), socket: null }),
    ...(socket === undefined ? {} : { socket }),
  };
}

/** What it was started with: one that runs is compared by it. */
function flagsOf(given: ServeArguments, { world }: Context): Flags {
  const [host, port, socket, idle] = [
    given.text('host'),
    given.text('port'),
    given.text('socket'),
    given.text('exit-when-idle'),
  ];
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(socket === undefined ? {} : { socket: resolve(world.cwd, socket) }),
    ...(given.flag('public') ? { public: 'true' } : {}),
    ...(idle === undefined ? {} : { 'exit-when-idle': idle }),
  };
}

function idleOf(given: ServeArguments): number | null {
  const text = given.text('exit-when-idle');
  return text === undefined ? null : readDuration('--exit-when-idle', text);
}

async function reload(api: CaissonApi, context: Context): Promise<void> {
  try {
    for (const text of reloadLines(await api.config.reload())) context.say(text);
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
