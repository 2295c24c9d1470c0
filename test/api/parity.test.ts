/** One state, seen by the library and through the client of a service on it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Api } from './api.ts';
import { Place } from './place.ts';
import { homeFor } from './subjects/embedded.ts';
import { throughService } from './subjects/service.ts';

const home = homeFor('{backend: local}', {}, '');
let library: Api;
let client: Api;
let place: Place;
const execId = 'exec_seen';

beforeAll(async () => {
  const open = async () => await throughService(home);
  const traits = { backend: 'local', hasStats: false, hasTerminals: false, isContained: false };
  place = await Place.open({ name: 'seen twice', ...traits, open });
  client = place.agent;
  library = await home.open();
  await place.sh('printf "out\\377"; echo error >&2; exit 3', { execId });
  await client.sessions.run({ taskId: place.task, name: 'main', text: 'X=1' });
  const { id } = await client.processes.start({ taskId: place.task, command: ['sh', '-c', 'echo hi; exit 4'] });
  await client.processes.wait(id);
}, 60_000);
afterAll(async () => {
  await library.close();
  await place.close();
});

/** A `Buffer` of the library is a `Uint8Array` of the client. */
const plain = (event: object): object =>
  'bytes' in event && event.bytes instanceof Uint8Array ? { ...event, bytes: [...event.bytes] } : event;

/** Two processes may differ by a millisecond in what they make of a steady clock. */
const untimed = <View extends { readonly startedAt: string }>({ startedAt: _, ...rest }: View) => rest;

type Ask = (api: Api) => Promise<unknown>;

const asks: Readonly<Record<string, Ask>> = {
  'execs.get': async (api) => untimed(await api.execs.get(execId)),
  'execs.list': async (api) => (await api.execs.list({ task: place.task })).items.map(untimed),
  'execs.logs': async (api) =>
    (await Array.fromAsync(api.execs.logs(execId))).map(({ event, ...rest }) => [rest, plain(event)]),
  'processes.list': (api) => api.processes.list({ task: place.task }),
  'files.stat': (api) => api.files.stat({ task: place.task, path: '/etc/passwd' }),
  'files.list': (api) => api.files.list({ task: place.task, path: '/etc/init.d' }),
  'files.search': (api) => api.files.search({ task: place.task, path: '/etc', pattern: 'root', name: 'passwd' }),
  'policy.examples': (api) => api.policy.examples(),
  'policy.ignored': (api) => api.policy.ignored(),
  'policy.hooks.list': (api) => api.policy.hooks.list(),
  'policy.checker': async (api) => (await api.policy.checker({ backend: 'local' }))('rm -rf / | tee x'),
  'network.checker': async (api) => (await api.network.checker())({ url: 'http://10.0.0.1/' }),
  'audit.tail': (api) => Array.fromAsync(api.audit.tail({ count: 8 })),
  'audit.verify': (api) => api.audit.verify(),
  'events.follow': (api) => Array.fromAsync(api.events.follow()),
  'images.recipes': async (api) =>
    (await api.images.recipes()).map(({ name, reference, about }) => [name, reference, about]),
  'access.pairing.list': (api) => api.access.pairing.list(),
  'tokens.list': (api) => api.tokens.list(),
  'backends.account': (api) => api.backends.account(['local']),
  'mcpServers.names': (api) => api.mcpServers.names(),
  'config.show': (api) => api.config.show(),
  'config.schema': (api) => api.config.schema(),
  'approvals.list': (api) => (api === client ? place.person : api).approvals.list(),
  'approvals.grants': (api) => (api === client ? place.person : api).approvals.grants(),
};

it.each(Object.entries(asks))('%s answers the same', async (_verb, ask) => {
  expect(await ask(client)).toEqual(await ask(library));
});

it('sandboxes are the same but for paths of the host', async () => {
  const { items: seen } = await client.sandboxes.list();
  const { items } = await library.sandboxes.list();
  const { hardening: _, ...spec } = items[0]?.spec ?? {};
  expect(seen).toEqual([{ ...items[0], directory: null, spec: expect.objectContaining(spec) }]);
});

const refusals: Readonly<Record<string, Ask>> = {
  'a task without a sandbox': (api) => api.sandboxes.get('never-made'),
  'an exec that is not on record': (api) => api.execs.get('exec_never'),
  'a file that is not there': (api) => api.files.read({ task: place.task, path: '/no/such/file' }),
  'a label of Caisson': (api) => api.sandboxes.create({ taskId: 'x', labels: { 'caisson.x': 'y' } }),
  'a command that is always refused': (api) =>
    api.run({ taskId: place.task, execId: 'exec_refused', command: ['mkfs.ext4', '/dev/nothing'] }),
};

it.each(Object.entries(refusals))(
  'the refusal of %s has the same code, message, remedy and details',
  async (_what, ask) => {
    const said = async (api: Api): Promise<unknown> => {
      const error: unknown = await ask(api).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      const { code, message, remedy, details } = Object(error);
      return { code, message, remedy, details };
    };
    const { details, ...rest } = Object(await said(library));
    expect(await said(client)).toMatchObject({ ...rest, details });
  },
);
