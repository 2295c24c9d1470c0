/** What the double says of the network. */
import type { CaissonApi, Connection, NetworkRules } from '../../src/service/api.ts';
import { judgeUrls } from '../../src/network/address/url.ts';
import { noRules } from '../network/address/rules.ts';

const networkRules: NetworkRules = {
  taskId: 'build',
  sandboxId: 'sbx_1',
  mode: 'filtered',
  revision: 3,
  configured: { allow: ['example.com'], deny: ['evil.example'], ports: [22], presets: ['npm'] },
  allow: ['api.example.com'],
  deny: ['ads.example'],
  once: ['once.example'],
};

const connections: readonly Connection[] = [
  {
    startedAt: '2026-01-02T11:00:00.000Z',
    durationMs: 12,
    name: 'example.com',
    port: 443,
    address: '93.184.216.34',
    verdict: 'allow',
    rule: 'allow example.com',
    reason: 'example.com is allowed',
    checked: 'server-name',
    sentBytes: 512,
    receivedBytes: 2048,
  },
  {
    startedAt: '2026-01-02T11:00:01.000Z',
    durationMs: 1,
    name: 'evil.example\u001b[2J',
    port: 80,
    address: null,
    verdict: 'deny',
    rule: 'no rule',
    reason: 'no rule allows it',
    checked: 'address',
    sentBytes: 0,
    receivedBytes: 0,
  },
];

/** The real verdicts, under rules that open nothing. */
export const network: CaissonApi['network'] = {
  checker: () => Promise.resolve((query) => judgeUrls(query, noRules)),
  rules: () => Promise.resolve(networkRules),
  change: (_task, { allow = [], deny = [] }) => Promise.resolve({ ...networkRules, allow, deny }),
  async *log() {
    yield* await Promise.resolve(connections);
  },
  suggest: (taskId) =>
    Promise.resolve({ taskId, seen: 3, presets: ['npm'], allow: ['*.example.org', 'api.example.com:8443'] }),
};
