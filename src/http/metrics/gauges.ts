/** How much there is at the moment of a scrape, in a registry of its own: what is gone since the last one has no series. */
import { readdirSync } from 'node:fs';
import { Counter, Gauge, Registry } from 'prom-client';
import { version } from '../../lib/build.ts';
import type { Figures } from '../../service/api.ts';

type Values = readonly (readonly [value: number, ...labels: readonly string[]])[];

export function gaugesOf(figures: Figures, sockets: number): Registry {
  const registry = new Registry();
  const now = { into: registry, kind: Gauge };
  const sinceStart = { into: registry, kind: Counter };
  add(now, 'caisson_build_info{version,node}', 'Always 1.', [[1, version(), process.versions.node]]);
  addRecords(now, figures);
  addWork(now, sinceStart, figures);
  addBudgets(now, sinceStart, figures);
  addHome(now, sinceStart, figures);
  if (figures.egress !== null) addEgress(now, sinceStart, figures.egress);
  add(now, 'caisson_http_sockets_open', 'WebSockets that are open.', [[sockets]]);
  addProcess(now, sinceStart);
  return registry;
}

/** Adds records of all processes of the state directory. */
function addRecords(now: Into, { sandboxes, webhooks, processes, approvalsWaiting, tokens }: Figures): void {
  const kinds = sandboxes.map(({ count, backend, state }) => [count, backend, state] as const);
  const sent = webhooks.flatMap(({ endpoint, waiting, givenUp }) => [
    [waiting, endpoint, 'waiting'] as const,
    [givenUp, endpoint, 'given_up'] as const,
  ]);
  add(now, 'caisson_sandboxes{backend,state}', 'Sandboxes on record.', kinds);
  add(now, 'caisson_processes', 'Detached processes that have not been seen to end.', [[processes]]);
  add(now, 'caisson_approvals_waiting', 'Commands that wait for a person.', [[approvalsWaiting]]);
  add(now, 'caisson_tokens', 'Tokens on record.', [[tokens]]);
  add(now, 'caisson_webhook_events{endpoint,state}', 'Events that wait, and those given up in the last week.', sent);
}

/** Adds the work of this service. */
function addWork(now: Into, sinceStart: Into, { queue, lanes, execsRunning }: Figures): void {
  const turns = queue.flatMap(({ backend, running, waiting }) => [
    [running, backend, 'running'] as const,
    [waiting, backend, 'waiting'] as const,
  ]);
  const ways = [
    [lanes.lane, 'lane'],
    [lanes.direct, 'direct'],
  ] as const;
  add(now, 'caisson_execs_running', 'Execs that have not ended.', [[execsRunning]]);
  add(now, 'caisson_queue{backend,state}', 'Sandboxes that are being made or removed, and that wait for it.', turns);
  add(now, 'caisson_lanes_open', 'Warm shells.', [[lanes.open]]);
  add(sinceStart, 'caisson_commands_total{way}', 'Commands that went through a warm shell, and the others.', ways);
}

/** Adds the budgets of this service. No owner is named: their number is not bounded. A budget without a limit has no series of it. */
function addBudgets(now: Into, sinceStart: Into, { budgets }: Figures): void {
  const limits = budgets.flatMap(({ name, total, perOwner }) => [
    ...(total === null ? [] : [[total, name, 'total'] as const]),
    ...(perOwner === null ? [] : [[perOwner, name, 'owner'] as const]),
  ]);
  const refused = budgets.flatMap(({ name, refused: counts }) =>
    Object.entries(counts).map(([reason, count]) => [count, name, reason] as const),
  );
  const largest = budgets.map(({ name, largest: most }) => [most?.used ?? 0, name] as const);
  add(now, 'caisson_budget_limit{budget,of}', 'What all owners together, and each owner, may hold.', limits);
  add(
    now,
    'caisson_budget_used{budget}',
    'What owners hold.',
    budgets.map(({ name, used }) => [used, name] as const),
  );
  add(now, 'caisson_budget_largest{budget}', 'What the owner holds that holds the most.', largest);
  add(
    now,
    'caisson_budget_waiting{budget}',
    'Requests that wait for a budget.',
    budgets.map(({ name, waiting }) => [waiting, name] as const),
  );
  add(sinceStart, 'caisson_budget_refused_total{budget,reason}', 'Requests that a budget refused.', refused);
}

function addHome(now: Into, sinceStart: Into, { store, audit, freeBytes }: Figures): void {
  add(now, 'caisson_store_bytes{file}', 'Size of the database.', [
    [store.bytes, 'database'],
    [store.logBytes, 'log'],
  ]);
  add(sinceStart, 'caisson_store_writes_total', 'Rows that this service has written.', [[store.writes]]);
  add(now, 'caisson_audit_records', 'Records of the audit, with those that were old and are gone.', [[audit.records]]);
  add(now, 'caisson_audit_bytes', 'Size of the audit.', [[audit.bytes]]);
  if (freeBytes !== null) add(now, 'caisson_home_free_bytes', 'Free space on its disk.', [[freeBytes]]);
}

/** Adds figures of the egress proxy, which is a process of its own. */
function addEgress(now: Into, sinceStart: Into, egress: NonNullable<Figures['egress']>): void {
  const { open, allowed, denied, sentBytes, receivedBytes } = egress;
  add(now, 'caisson_egress_connections_open', 'Connections of filtered sandboxes that are open.', [[open]]);
  add(sinceStart, 'caisson_egress_connections_total{verdict}', 'Connections of filtered sandboxes that have ended.', [
    [allowed, 'allow'],
    [denied, 'deny'],
  ]);
  add(sinceStart, 'caisson_egress_bytes_total{direction}', 'Bytes of them, as the sandboxes see it.', [
    [sentBytes, 'sent'],
    [receivedBytes, 'received'],
  ]);
}

interface Into {
  readonly into: Registry;
  readonly kind: typeof Gauge | typeof Counter;
}

/** `name` has the labels behind it, `caisson_queue{backend,state}`; their values stand in the same order behind each value. */
function add({ into, kind: Metric }: Into, name: string, help: string, values: Values): void {
  const [, base = '', labels] = /^(\w+)(?:\{(.*)\})?$/.exec(name) ?? [];
  const labelNames = labels?.split(',') ?? [];
  const metric = new Metric({ name: base, help, labelNames, registers: [into] });
  for (const [value, ...words] of values)
    metric.inc(Object.fromEntries(labelNames.map((label, index) => [label, words[index] ?? ''])), value);
}

/** Names and meanings of prometheus.io/docs/instrumenting/writing_clientlibs, and one of Node's own. */
function addProcess(now: Into, sinceStart: Into): void {
  const { user, system } = process.cpuUsage();
  const usage = process.memoryUsage();
  const began = Date.now() / 1000 - process.uptime();
  add(sinceStart, 'process_cpu_seconds_total', 'User and system time.', [[(user + system) / 1e6]]);
  add(now, 'process_resident_memory_bytes', 'Memory.', [[usage.rss]]);
  add(now, 'process_start_time_seconds', 'Since the epoch.', [[began]]);
  add(now, 'process_open_fds', 'Open file descriptors.', openDescriptors());
  add(now, 'nodejs_heap_used_bytes', 'Memory of objects.', [[usage.heapUsed]]);
  const { utilization } = performance.eventLoopUtilization();
  add(now, 'nodejs_eventloop_utilization', 'Share of its life in which the event loop was busy.', [[utilization]]);
}

function openDescriptors(): Values {
  try {
    return [[readdirSync('/proc/self/fd').length]];
  } catch {
    return [];
  }
}
