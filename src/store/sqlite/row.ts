/** A sandbox as a row of the database, and back. */
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { Hardening, Limits, Mount, Ref, Spec } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import type { Labels } from '../../values/labels.ts';
import type { PoolMark } from '../sandboxes.ts';
import type { BootMark, Degradation, SandboxRow } from '../store.ts';
import {
  type Check,
  flag,
  integer,
  json,
  list,
  nullable,
  number,
  object,
  oneOf,
  record,
  scalar,
  ShapeError,
  text,
} from './shape.ts';

const limits: Check<Limits> = object<Limits>({
  cpuCores: nullable(number),
  memoryBytes: nullable(integer),
  diskBytes: nullable(integer),
  pids: nullable(integer),
});

const mount: Check<Mount> = object<Mount>({ source: text, target: text, readOnly: flag });

const hardening: Check<Hardening> = object<Hardening>({
  readOnlyRoot: flag,
  seccomp: oneOf('builtin', 'engine'),
  runtime: nullable(text),
  shmBytes: nullable(integer),
  user: oneOf('root', 'host'),
});

const plainSpec: Check<Omit<Spec, 'filteredBy'>> = object<Omit<Spec, 'filteredBy'>>({
  backend: text,
  image: nullable(text),
  limits,
  network: oneOf('open', 'observe', 'filtered', 'none'),
  persistent: flag,
  cwd: text,
  mounts: list(mount),
  hardening,
});

/** A spec without the mark stays without it: fingerprints are made of what is there. */
const spec: Check<Spec> = (value, at) => {
  const { filteredBy } = record(value, at);
  const marked = filteredBy === undefined ? {} : { filteredBy: oneOf('place')(filteredBy, `${at}.filteredBy`) };
  return { ...plainSpec(value, at), ...marked };
};

const degradation: Check<Degradation> = object<Degradation>({
  control: text,
  wanted: scalar,
  reason: text,
  // Rows of an earlier version do not say.
  asked: (value) => value === true,
});

const ref: Check<Ref> = (value, at) => {
  const fields = record(value, at);
  const scalars = Object.entries(fields).map(([key, each]) => [key, nullable(scalar)(each, `${at}.${key}`)] as const);
  return { ...Object.fromEntries(scalars), v: integer(fields['v'], `${at}.v`) };
};

const bootMark: Check<BootMark> = object<BootMark>({ id: text, ms: number });

const poolMark: Check<PoolMark> = object<PoolMark>({ entry: text, image: nullable(text) });

const labels: Check<Labels> = (value, at) =>
  Object.fromEntries(Object.entries(record(value, at)).map(([key, each]) => [key, text(each, `${at}.${key}`)]));

const bit: Check<boolean> = (value, at) => integer(value, at) !== 0;

type Encoding = 'plain' | 'json' | 'bit';
interface Column<T> {
  readonly column: string;
  readonly encoding: Encoding;
  readonly check: Check<T>;
}

function plain<T>(column: string, check: Check<T>): Column<T> {
  return { column, encoding: 'plain', check };
}

const columns: { readonly [K in keyof SandboxRow]: Column<SandboxRow[K]> } = {
  id: plain('id', text),
  taskId: plain('task_id', text),
  backend: plain('backend', text),
  name: plain('name', text),
  spec: { column: 'spec', encoding: 'json', check: json(spec) },
  configured: { column: 'configured', encoding: 'json', check: nullable(json(spec)) },
  fingerprint: plain('fingerprint', text),
  state: plain('state', oneOf('creating', 'pooled', 'ready', 'stopping', 'stopped', 'destroying')),
  ref: { column: 'ref', encoding: 'json', check: nullable(json(ref)) },
  directory: plain('directory', nullable(text)),
  degraded: { column: 'degraded', encoding: 'json', check: json(list(degradation)) },
  effective: { column: 'effective', encoding: 'json', check: nullable(json(record)) },
  generation: plain('generation', integer),
  ephemeral: { column: 'ephemeral', encoding: 'bit', check: bit },
  createdAt: plain('created_at', integer),
  usedAt: plain('used_at', integer),
  createdBoot: { column: 'created_boot', encoding: 'json', check: nullable(json(bootMark)) },
  usedBoot: { column: 'used_boot', encoding: 'json', check: nullable(json(bootMark)) },
  endedBy: plain('ended_by', nullable(text)),
  lostSince: plain('lost_since', nullable(text)),
  idleMs: plain('idle_ms', nullable(integer)),
  ttlMs: plain('ttl_ms', nullable(integer)),
  labels: { column: 'labels', encoding: 'json', check: json(labels) },
  pool: { column: 'pool', encoding: 'json', check: nullable(json(poolMark)) },
};

const columnByKey: ReadonlyMap<string, Column<unknown>> = new Map(Object.entries(columns));

export interface Assignment {
  readonly column: string;
  readonly value: SQLInputValue;
}

/** Columns and values of a row or a patch, in a fixed order. */
export function assignments(row: Partial<SandboxRow>): readonly Assignment[] {
  const given = new Map<string, unknown>(Object.entries(row));
  return [...columnByKey].flatMap(([key, { column, encoding }]) => {
    const value = given.get(key);
    return value === undefined ? [] : [{ column, value: encode(value, encoding) }];
  });
}

function encode(value: unknown, encoding: Encoding): SQLInputValue {
  if (value === null) return null;
  if (encoding === 'json') return JSON.stringify(value);
  if (encoding === 'bit') return value === true ? 1 : 0;
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new CaissonError('internal', `a ${typeof value} cannot be stored`);
}

/** Throws `internal` naming the row, when it is torn or was written by someone else. */
export function readRow(values: Readonly<Record<string, SQLOutputValue>>): SandboxRow {
  try {
    return decode(values);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    const id = String(values['id']).slice(0, 64);
    throw new CaissonError('internal', `the record of sandbox ${id} is damaged: ${error.message}`, {
      cause: error,
      details: { sandboxId: id },
      remedy: `remove it: caisson rm ${id}`,
    });
  }
}

function decode(values: Readonly<Record<string, SQLOutputValue>>): SandboxRow {
  const read = <K extends keyof SandboxRow>(key: K): SandboxRow[K] => {
    const { column, check } = columns[key];
    return check(values[column], column);
  };
  return {
    id: read('id'),
    taskId: read('taskId'),
    backend: read('backend'),
    name: read('name'),
    spec: read('spec'),
    configured: read('configured'),
    fingerprint: read('fingerprint'),
    state: read('state'),
    ref: read('ref'),
    directory: read('directory'),
    degraded: read('degraded'),
    effective: read('effective'),
    generation: read('generation'),
    ephemeral: read('ephemeral'),
    createdAt: read('createdAt'),
    usedAt: read('usedAt'),
    createdBoot: read('createdBoot'),
    usedBoot: read('usedBoot'),
    endedBy: read('endedBy'),
    lostSince: read('lostSince'),
    idleMs: read('idleMs'),
    ttlMs: read('ttlMs'),
    labels: read('labels'),
    pool: read('pool'),
  };
}
