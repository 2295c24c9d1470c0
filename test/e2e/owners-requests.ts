/** Requests that a client makes, by route, and what the model of its owner says of their answers. */
import { expect } from 'vitest';
import type { Route } from '../../src/http/route.ts';
import { examples } from '../http/examples.ts';
import { files } from './owners-files.ts';
import {
  any,
  itemsOf,
  json,
  type Make,
  outputOf,
  type Owner,
  type Ran,
  type Request,
  succeeds,
} from './owners-model.ts';

const ofTask = (all: ReadonlyMap<string, Ran>, id: string): readonly string[] =>
  [...all].flatMap(([key, ran]) => (ran.taskId === id || ran.sandboxId === id ? [key] : [])).toSorted();

const startExec: Make = (owner, { taskId, sandboxId }) => {
  const n = owner.next();
  const execId = `exec_r-${n}`;
  if (n % 4 === 0) {
    const body = { command: ['touch', `/workspace/${owner.marker}`], execId, waitForApproval: false };
    return {
      body,
      check: (answer) => {
        expect([answer.status, json(answer).code]).toEqual([403, 'approval_required']);
        const id = String(json(answer).details.approvalId);
        owner.pending.add(id);
        owner.ids.push(id);
      },
    };
  }
  const text = `${owner.marker}-${n}`;
  // A byte that is no UTF-8: its event comes as base64.
  const command = ['sh', '-c', `echo ${text}; printf '\\377\\n'`];
  const accept = any(['application/json', 'application/x-ndjson', 'text/event-stream']);
  return {
    body: { command, execId },
    accept,
    check: (answer) => {
      expect(answer).toMatchObject({ status: 200 });
      const written = accept === 'application/json' ? json(answer).stdout.text : outputOf(answer.text);
      expect(written.split('\n')[0]).toBe(text);
      owner.execs.set(execId, { taskId, sandboxId, text });
    },
  };
};

/** Id of an exec of the owner, or one that other owners may have and it has not. */
const anyOf = (all: ReadonlyMap<string, Ran>, prefix: string): string =>
  all.size > 0 && Math.random() < 0.7 ? any([...all.keys()]) : `exec_${prefix}-${1 + Math.floor(Math.random() * 40)}`;

/** Sandbox id in a route that names no sandbox. */
const anywhere = '';

const visible = (all: ReadonlyMap<string, Ran>, execId: string, id: string): Ran | null => {
  const ran = all.get(execId);
  return ran !== undefined && (id === anywhere || ran.taskId === id || ran.sandboxId === id) ? ran : null;
};

const getExec: Make = (owner, _task, id) => {
  const execId = anyOf(owner.execs, 'r');
  const ran = visible(owner.execs, execId, id);
  const accept = any(['application/json', 'application/x-ndjson', 'text/event-stream']);
  return {
    params: { execId },
    accept,
    check: ({ status, text }) => {
      expect([execId, status]).toEqual([execId, ran === null ? 404 : 200]);
      if (ran !== null) expect(accept === 'application/json' ? text : outputOf(text)).toContain(ran.text);
    },
  };
};

const cancelExec: Make = (owner, _task, id) => {
  const execId = anyOf(owner.execs, 'r');
  return { params: { execId }, check: succeeds(visible(owner.execs, execId, id) === null ? 404 : 204) };
};

const ofProcess =
  (...statuses: readonly number[]): Make =>
  (owner, _task, id) => {
    const processId = anyOf(owner.processes, 'p');
    const ran = visible(owner.processes, processId, id);
    return {
      params: { processId },
      ...(statuses.includes(412) ? { body: owner.marker } : {}),
      check: (answer) => {
        if (ran === null) return expect([processId, answer.status]).toEqual([processId, 404]);
        // What a restart of the sandbox has taken along is not there any more.
        succeeds(...statuses, 404)(answer);
        if (answer.status === 200) expect(answer.text).toContain(ran.text);
      },
    };
  };

const startProcess: Make = (owner, { taskId, sandboxId }) => {
  const execId = `exec_p-${owner.next()}`;
  const text = `${owner.marker}-${execId}`;
  return {
    body: { command: ['echo', text], execId },
    check: ({ status, text: answer }) => {
      expect({ status, answer }).toMatchObject({ status: 201 });
      owner.processes.set(execId, { taskId, sandboxId, text });
    },
  };
};

/** `writes`: its output is known. */
const runText = (make: (text: string) => object, { writes = false, params = {} } = {}): Make => {
  return (owner, { taskId, sandboxId }) => {
    const execId = `exec_r-${owner.next()}`;
    const text = `${owner.marker}-${execId}`;
    return {
      params,
      body: { ...make(`echo ${text}`), execId },
      accept: 'application/json',
      check: ({ status, text: answer }) => {
        if (status === 404 || status === 412) return;
        expect({ status, answer }).toMatchObject({ status: 200 });
        owner.execs.set(execId, { taskId, sandboxId, text: writes ? text : '' });
      },
    };
  };
};

const removeSandbox: Make = (owner, task) => {
  const keep = Math.random() < 0.5;
  return {
    query: `keepFiles=${keep}`,
    check: ({ status, text }) => {
      expect({ status, text }).toMatchObject({ status: 204 });
      owner.tasks.delete(task.taskId);
      if (keep) owner.kept.set(task.taskId, task.files);
      else owner.kept.delete(task.taskId);
    },
  };
};

const execsAt = '/v1/sandboxes/{id}/execs';
const processesAt = '/v1/sandboxes/{id}/processes';

/** Requests about a sandbox, by route; those that are absent here are made as in the examples, and only looked through. */
export const inSandbox: Readonly<Record<string, Make>> = {
  'GET /v1/sandboxes/{id}': (_owner, { sandboxId }) => ({
    check: (answer) => expect(json(answer)).toMatchObject({ id: sandboxId }),
  }),
  'DELETE /v1/sandboxes/{id}': removeSandbox,
  [`POST ${execsAt}`]: startExec,
  [`GET ${execsAt}`]: (owner, _task, id) => ({
    query: 'limit=1000',
    check: (answer) => {
      const wanted = ofTask(owner.execs, id);
      expect(itemsOf(answer)).toEqual(wanted);
    },
  }),
  [`GET ${execsAt}/{execId}`]: getExec,
  [`DELETE ${execsAt}/{execId}`]: cancelExec,
  // The test image has no bash: it is on record, and writes nothing.
  'POST /v1/sandboxes/{id}/code': runText((text) => ({ language: 'bash', text })),
  'POST /v1/sandboxes/{id}/sessions': () => ({ body: { name: 'main' }, check: succeeds(200) }),
  'POST /v1/sandboxes/{id}/sessions/{name}/execs': runText((text) => ({ text }), {
    writes: true,
    params: { name: 'main' },
  }),
  'DELETE /v1/sandboxes/{id}/sessions/{name}': () => ({ params: { name: 'main' }, check: succeeds(204, 404) }),
  [`POST ${processesAt}`]: startProcess,
  [`GET ${processesAt}`]: (owner, _task, id) => ({
    check: (answer) => {
      const mine = ofTask(owner.processes, id);
      for (const each of itemsOf(answer)) expect(mine).toContain(each);
    },
  }),
  [`GET ${processesAt}/{processId}`]: ofProcess(200),
  [`GET ${processesAt}/{processId}/wait`]: ofProcess(200),
  [`PUT ${processesAt}/{processId}/input`]: ofProcess(412),
  [`DELETE ${processesAt}/{processId}`]: ofProcess(200),
  ...Object.fromEntries(
    Object.entries(files).map(([key, make]) => [key.replace(' ', ' /v1/sandboxes/{id}/files'), make]),
  ),
};

/** What is answered from the record, also of a sandbox that was removed. */
export const recorded: ReadonlySet<string> = new Set([
  `GET ${execsAt}`,
  `GET ${execsAt}/{execId}`,
  `DELETE ${execsAt}/{execId}`,
  'GET /v1/sandboxes/{id}/logs',
]);

/** In one of its sandboxes, which the body names. `null`: it has none. */
const inBody =
  (make: Make) =>
  (owner: Owner): Request | null => {
    if (owner.tasks.size === 0) return null;
    const task = any([...owner.tasks.values()]);
    const request = make(owner, task, task.taskId);
    const check: Request['check'] = async (answer) => {
      if (task.stopped && answer.status === 412) return;
      if (answer.status < 300) task.stopped = false;
      await request.check(answer);
    };
    return { ...request, check, body: { ...Object(request.body), taskId: task.taskId, existing: true } };
  };

const byId =
  (make: Make) =>
  (owner: Owner): Request =>
    make(owner, nowhere, anywhere);

const nowhere = { taskId: 'none', sandboxId: 'none', files: new Map<string, string>(), stopped: false };

const approvalOf = (owner: Owner, owners: readonly Owner[]): string | null => {
  const foreign = owners.filter((each) => each !== owner).flatMap(({ pending }) => [...pending]);
  const ids = owner.pending.size > 0 && Math.random() < 0.6 ? [...owner.pending] : foreign;
  return ids.length === 0 ? null : any(ids);
};

/** Requests about no sandbox. `null`: there is nothing to ask about yet. */
export const elsewhere: Readonly<Record<string, (owner: Owner, owners: readonly Owner[]) => Request | null>> = {
  'GET /v1/sandboxes': (owner) => ({
    check: (answer) =>
      expect(itemsOf(answer)).toEqual([...owner.tasks.values()].map(({ sandboxId }) => sandboxId).toSorted()),
  }),
  'GET /v1/execs': (owner) => ({
    query: 'limit=1000',
    check: (answer) => expect(itemsOf(answer)).toEqual([...owner.execs.keys()].toSorted()),
  }),
  'GET /v1/processes': (owner) => ({
    check: (answer) => {
      for (const each of itemsOf(answer)) expect([...owner.processes.keys()]).toContain(each);
    },
  }),
  'POST /v1/execs': inBody(startExec),
  'GET /v1/execs/{execId}': byId(getExec),
  'DELETE /v1/execs/{execId}': byId(cancelExec),
  'POST /v1/processes': inBody(startProcess),
  'GET /v1/processes/{processId}': byId(ofProcess(200)),
  'GET /v1/processes/{processId}/wait': byId(ofProcess(200)),
  'PUT /v1/processes/{processId}/input': byId(ofProcess(412)),
  'DELETE /v1/processes/{processId}': byId(ofProcess(200)),
  'GET /v1/approvals': (owner) => ({
    check: (answer) => expect(itemsOf(answer)).toEqual([...owner.pending].toSorted()),
  }),
  'POST /v1/approvals': (owner) => ({
    body: { taskId: any(['build', 'work']), choice: any(['once', 'deny']) },
    check: (answer) => {
      succeeds(200)(answer);
      const { answered, left } = json(answer);
      expect([left, [...owner.pending]]).toEqual([[], expect.arrayContaining(answered)]);
      for (const id of answered) owner.pending.delete(id);
    },
  }),
  'GET /v1/approvals/{approvalId}': (owner, owners) => {
    const approvalId = approvalOf(owner, owners);
    if (approvalId === null) return null;
    return { params: { approvalId }, check: succeeds(owner.pending.has(approvalId) ? 200 : 404) };
  },
  'POST /v1/approvals/{approvalId}': (owner, owners) => {
    const approvalId = approvalOf(owner, owners);
    if (approvalId === null) return null;
    const isOwn = owner.pending.has(approvalId);
    const check: Request['check'] = ({ status, text }) => {
      expect({ status, text }).toMatchObject({ status: isOwn ? 204 : 404 });
      owner.pending.delete(approvalId);
    };
    return { params: { approvalId }, body: { choice: any(['once', 'deny']) }, check };
  },
};

/** Request from the examples, for a route without an entry above. */
export function usual({ method, path }: Pick<Route, 'method' | 'path'>): Request {
  const { path: params = {}, query, body } = examples[`${method} ${path}`] ?? {};
  const inside: unknown =
    typeof body === 'object' ? JSON.parse(JSON.stringify(body).replaceAll('ROOT', '/workspace')) : body;
  return {
    params,
    ...(query === undefined ? {} : { query: query.replaceAll('ROOT', '/workspace') }),
    ...(inside === undefined ? {} : { body: inside }),
    check: ({ status, text }) => expect({ status, text }).not.toMatchObject({ status: 500 }),
  };
}
