/** Requests about files of a sandbox, by what follows `/files` in the route, and what the model says of their answers. */
import { expect } from 'vitest';
import { file, tree } from '../files/hostile-tars.ts';
import { any, type Answer, itemsOf, json, type Make, type Request, succeeds, type Task } from './owners-model.ts';

const fileNames = ['one', 'two', 'three'] as const;
const at = (name: string): string => `path=${encodeURIComponent(`/workspace/${name}`)}`;

export const files: Readonly<Record<string, Make>> = {
  'PUT ': (owner, task) => {
    const name = any(fileNames);
    const text = `${owner.marker}-${owner.next()}\n`;
    const check: Request['check'] = ({ status, text: answer }) => {
      expect({ status, answer }).toMatchObject({ status: 200 });
      task.files.set(name, text);
    };
    return { query: at(name), body: text, check };
  },
  'GET ': (_owner, task) => {
    const name = any(fileNames);
    const check: Request['check'] = ({ status, text }) =>
      expect([status, task.files.has(name) ? text : null]).toEqual(
        task.files.has(name) ? [200, task.files.get(name)] : [404, null],
      );
    return { query: at(name), check };
  },
  'PATCH ': (owner, task) => {
    const name = any(fileNames);
    const text = `${owner.marker}-${owner.next()}\n`;
    const find = task.files.get(name) ?? 'nothing';
    const check: Request['check'] = ({ status, text: answer }) => {
      expect({ status, answer }).toMatchObject({ status: task.files.has(name) ? 200 : 404 });
      if (status === 200) task.files.set(name, text);
    };
    return { body: { path: `/workspace/${name}`, edits: [{ find, replace: text }] }, check };
  },
  'GET /archive': (_owner, task) => {
    const name = any(fileNames);
    const check: Request['check'] = ({ status, text }) => {
      expect(status).toBe(task.files.has(name) ? 200 : 404);
      expect(text).toContain(task.files.get(name) ?? 'not_found');
    };
    return { query: at(name), check };
  },
  'PUT /archive': (owner, task) => {
    const name = any(fileNames);
    const text = `${owner.marker}-${owner.next()}\n`;
    const check: Request['check'] = ({ status, text: answer }) => {
      expect({ status, answer }).toMatchObject({ status: 200 });
      task.files.set(name, text);
    };
    // ASCII alone, so that it is the same as text.
    return { query: 'path=/workspace', body: tree(file(name, text)).toString('latin1'), check };
  },
  // Not a directory: a watch has no end, and would not be answered whole.
  'GET /watch': () => ({ query: at(any(fileNames)), check: succeeds(404, 412) }),
  'GET /list': (_owner, task) => ({ query: 'path=/workspace', check: (answer) => expectFiles(answer, task) }),
  'GET /stat': (_owner, task) => {
    const name = any(fileNames);
    return { query: at(name), check: succeeds(task.files.has(name) ? 200 : 404) };
  },
  'POST /search': (_owner, task) => ({
    body: { path: '/workspace', pattern: 'canary' },
    check: (answer) => {
      const lines: readonly { text: string }[] = json(answer).matches ?? [];
      expect(lines.map(({ text }) => `${text.trim()}\n`).toSorted()).toEqual([...task.files.values()].toSorted());
    },
  }),
  'POST /move': (_owner, task) => {
    const [name, to] = [any(fileNames), any(fileNames)];
    const check: Request['check'] = ({ status }) => {
      const text = task.files.get(name);
      if (status !== 204 || text === undefined) return expect(status).toBeGreaterThanOrEqual(400);
      task.files.delete(name);
      task.files.set(to, text);
    };
    return { body: { path: `/workspace/${name}`, to: `/workspace/${to}`, replace: true }, check };
  },
  'DELETE ': (_owner, task) => {
    const name = any(fileNames);
    const check: Request['check'] = ({ status, text }) => {
      expect({ status, text }).toMatchObject({ status: task.files.has(name) ? 204 : 404 });
      task.files.delete(name);
    };
    return { query: at(name), check };
  },
};

export const expectFiles = (answer: Answer, task: Task): void =>
  expect(itemsOf(answer, 'entries')).toEqual([...task.files.keys()].toSorted());
