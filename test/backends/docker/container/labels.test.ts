import { describe, expect, test } from 'vitest';
import {
  doorIn,
  doorLabel,
  eventsAreForged,
  fromEngineLabels,
  toEngineLabels,
} from '../../../../backends/docker/container/labels.ts';

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

  test.each([
    ['its own', 'caisson-a-door', 'caisson-a-door'],
    ['that of another sandbox', 'caisson-b-door', null],
    ['any container of the engine', 'front-door', null],
    ['nothing', '', null],
  ])('name a door only where it is %s: an image can bring them along', (_what, named, door) => {
    for (const container of ['/caisson-a', 'caisson-a']) expect(doorIn({ [doorLabel]: named }, container)).toBe(door);
    expect(doorIn({ [doorLabel]: named }, undefined)).toBeNull();
  });

  test('tell a container whose labels would be taken for attributes of its events', () => {
    expect([
      eventsAreForged({ exitCode: '0' }),
      eventsAreForged({ execID: 'x' }),
      eventsAreForged(toEngineLabels(labels)),
    ]).toEqual([true, true, false]);
  });
});
