import { describe, expect, test } from 'vitest';
import { eventsAreForged, fromEngineLabels, toEngineLabels } from '../../../../backends/docker/container/labels.ts';

const labels = {
  instance: 'abc',
  sandbox: 'sbx_0123456789abcdef',
  task: 'build',
  fingerprint: 'f00',
  created: '2026-11-21T10:00:00Z',
  schema: '1',
};

describe('labels', () => {
  test('come back as they were written', () => {
    expect(fromEngineLabels({ ...toEngineLabels(labels), other: 'x' })).toEqual(labels);
  });

  test.each(['instance', 'sandbox', 'task', 'fingerprint', 'created', 'schema'])('are not ours without %s', (name) => {
    expect(fromEngineLabels({ ...toEngineLabels(labels), [`caisson.${name}`]: undefined })).toBeNull();
  });

  test.each([
    ['a space', 'a b'],
    ['nothing', ''],
    ['64 characters', 'x'.repeat(64)],
    ['a line break', 'a\nb'],
    ['a number', 7],
  ])('are not ours with %s in a value', (_what, value) => {
    expect(fromEngineLabels({ ...toEngineLabels(labels), 'caisson.task': value })).toBeNull();
  });

  test.each([null, undefined, 'x', [], 7])('are not ours when they are %j', (value) => {
    expect(fromEngineLabels(value)).toBeNull();
  });

  test('tell a container whose labels would be taken for attributes of its events', () => {
    expect([
      eventsAreForged({ exitCode: '0' }),
      eventsAreForged({ execID: 'x' }),
      eventsAreForged(toEngineLabels(labels)),
    ]).toEqual([true, true, false]);
  });
});
