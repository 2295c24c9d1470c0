/** The installation of the double. */
import type { BudgetFigures, CaissonApi, Status } from '../../src/service/api.ts';

const budgets: readonly BudgetFigures[] = [
  {
    name: 'questions',
    total: 256,
    perOwner: 64,
    used: 240,
    waiting: 0,
    refused: { owner: 3, total: 0, waiting: 0 },
    largest: { owner: 'mallory', used: 64 },
    lastRefused: { owner: 'mallory', agoMs: 90_000 },
  },
];

export const status: Status = {
  level: 'attention',
  concerns: [
    { level: 'attention', about: 'question', message: '1 command waits for an answer', remedy: 'caisson approvals ls' },
  ],
  version: '0.1.0',
  startedAt: '2026-01-02T11:00:00.000Z',
  execsRunning: 2,
  approvalsWaiting: 1,
  pending: { holds: [], loosens: [], reload: [], restart: [], problem: null },
  backends: [{ backend: 'docker', status: 'ready', summary: 'engine 27.0 answers' }],
  disk: { freeBytes: 50 * 1024 ** 3, totalBytes: 100 * 1024 ** 3, freeInodes: 1_000_000 },
  sandboxes: [
    { backend: 'docker', state: 'ready', count: 3 },
    { backend: 'docker', state: 'stopped', count: 1 },
  ],
  stuck: [],
  day: { lost: 0, denied: 2 },
  webhooks: [],
  egress: { running: true, figures: { open: 1, allowed: 10, denied: 3, sentBytes: 100, receivedBytes: 2000 } },
  budgets,
  audit: { records: 40, bytes: 20_000, verified: { at: '2026-01-02T10:00:00.000Z', through: 30, intact: true } },
};

export const installation: CaissonApi['installation'] = {
  status: () => Promise.resolve(status),
  figures: () => Promise.reject(new Error('no figures here')),
  budgets: () => Promise.resolve(budgets),
  budget: () => {
    throw new Error('no budget here');
  },
  backup: (directory) => Promise.resolve({ directory, files: 3, bytes: 4096 }),
};
