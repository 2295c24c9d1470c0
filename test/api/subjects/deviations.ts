/** What no client of a service can do, or does otherwise, and what it does instead. */
import { expect } from 'vitest';
import type { Place } from '../place.ts';
import { firstOf, refused } from '../reading.ts';
import type { Deviation } from '../subject.ts';

/** Verbs that no route serves say so, and do nothing. */
const notServed = (reason: string, call: (place: Place) => Promise<unknown>): Deviation => ({
  reason,
  instead: async (place) => await refused(call(place), 'not_supported'),
});

const hostPaths = 'it names files of the host';
const readsText = 'it reads a text that the caller has';
const byRequest = 'every request of a client does it with its token';

const scan = { name: 'x', verdict: 'clean', findings: [], sha256: '', content: '' } as const;
const skill = { path: '/x', verdict: 'safe', accepted: false, findings: [], sha256: null, files: 0 } as const;

export const serviceDeviations: Readonly<Record<string, Deviation>> = {
  'files.copyIn.tree': notServed(hostPaths, ({ agent, task }) =>
    agent.files.copyIn({ task, source: '/x', target: '/x' }),
  ),
  'files.copyOut.tree': notServed(hostPaths, ({ agent, task }) =>
    agent.files.copyOut({ task, source: '/x', target: '/x' }),
  ),
  'files.sync.both-ways': notServed(hostPaths, ({ agent, task }) =>
    agent.files.sync({ task, host: '/x', inside: '/x', direction: 'in' }),
  ),
  'secrets.redactor.text': notServed(
    readsText,
    async ({ agent }) => await Promise.resolve().then(() => agent.secrets.redactor()),
  ),
  'secrets.scan.injection': notServed(readsText, ({ agent }) =>
    agent.secrets.scan({ name: 'x', bytes: new Uint8Array() }),
  ),
  'secrets.approve.bytes': notServed(readsText, ({ agent }) => agent.secrets.approve(scan)),
  'secrets.scanSkill.judged': notServed(hostPaths, ({ agent }) => agent.secrets.scanSkill('/x')),
  'secrets.acceptSkill.files': notServed(hostPaths, ({ agent }) => agent.secrets.acceptSkill(skill)),
  'tokens.authenticate.known': notServed(byRequest, ({ agent }) => agent.tokens.authenticate('x')),
  'tokens.admit.counted': notServed(byRequest, ({ agent }) =>
    agent.tokens.admit({ id: 'x', owner: 'operator', limits: { execs: null, requestsPerMinute: 1 } }),
  ),
  'access.pairing.clearPending.platform': notServed('it is done on the host of the service', ({ agent }) =>
    agent.access.pairing.clearPending('matrix'),
  ),
  'mcpServers.child.started': notServed('its answer holds the secrets of a child of the caller', ({ agent }) =>
    agent.mcpServers.child('docs'),
  ),
  'mcpServers.shares.own': notServed('it is asked on the host of the service', ({ agent }) =>
    agent.mcpServers.shares('docs'),
  ),
  'mcpServers.inside.own': notServed('its answer holds the secrets of a server', ({ agent }) =>
    agent.mcpServers.inside('docs'),
  ),
  'mcpServers.admit.passed': notServed('it is done on the host of the service', ({ agent, task: taskId }) =>
    agent.mcpServers.admit({ server: 'docs', tool: 'read', arguments: {}, taskId }),
  ),
  'pool.keep.empty': notServed(
    'the service does it by itself',
    async ({ agent }) => await Promise.resolve().then(() => agent.pool.keep()),
  ),
  'sandboxes.keepSamples.here': notServed(
    'the service does it by itself',
    async ({ agent }) => await Promise.resolve().then(() => agent.sandboxes.keepSamples()),
  ),
  'policy.ready.sound': notServed('GET /readyz says it', ({ agent }) => agent.policy.ready()),
  'installation.figures.counted': notServed('the metrics have them', ({ agent }) => agent.installation.figures()),
  'installation.budget.held': notServed('it is of the process that holds it', ({ agent }) =>
    Promise.resolve().then(() => agent.installation.budget('questions')),
  ),
  'installation.backup.copied': notServed(hostPaths, ({ agent }) => agent.installation.backup('/x')),
  'config.create.there': notServed('the first file is written on the host of the service', ({ agent }) =>
    agent.config.create('terminal: {backend: local}\n'),
  ),
  'sandboxes.get.malformed': {
    reason: 'what is no name is refused by its form',
    instead: async ({ agent }) => await refused(agent.sandboxes.get('../../v1/tokens'), 'invalid_argument'),
  },
  'sessions.run.same-id': {
    reason: 'a request that is sent again gets the result of the first, so that a lost connection costs nothing',
    instead: async ({ agent, task: taskId }) => {
      const text = { taskId, name: 'same-id', text: 'echo $((N+=1))', execId: 'exec_same-text' };
      const [first, second] = [await agent.sessions.run(text), await agent.sessions.run(text)];
      expect([first.stdout.text, second]).toEqual(['1\n', first]);
      await refused(agent.sessions.run({ ...text, text: 'echo other' }), 'already_exists');
    },
  },
  'audit.tail.lost': {
    reason: 'the route counts records from the last one, so that a reader does not go on where it was',
    instead: async (place) => {
      const records = place.agent.audit.tail({ count: 0, follow: true });
      setTimeout(() => place.cut(), 300);
      await refused(
        firstOf(records, () => false),
        'unavailable',
      );
    },
  },
};
