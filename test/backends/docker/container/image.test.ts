import { describe, expect, test } from 'vitest';
import { parseReference } from '../../../../backends/docker/container/image.ts';

const digest = `sha256:${'0a'.repeat(32)}`;

describe('image references', () => {
  test.each([
    ['busybox', 'busybox', 'latest'],
    ['busybox:1.36', 'busybox', '1.36'],
    ['caisson/base:2', 'caisson/base', '2'],
    ['registry.example:5000/team/app', 'registry.example:5000/team/app', 'latest'],
    ['localhost:5000/app:dev', 'localhost:5000/app', 'dev'],
    [`debian@${digest}`, 'debian', digest],
    [`debian:12@${digest}`, 'debian', digest],
    ['a.b__c-d/e', 'a.b__c-d/e', 'latest'],
  ])('reads %s', (image, name, version) => {
    expect(parseReference(image)).toEqual({ name, version });
  });

  test('knows an image id, which cannot be pulled', () => {
    expect(parseReference(digest)).toBeNull();
  });

  test.each([
    '--privileged',
    '-v',
    '',
    'Upper',
    'a b',
    'a:',
    ':tag',
    'a@sha256:12',
    'a/../b',
    'a//b',
    'a:tag:tag',
    'a\nb',
    '/abs',
    'a/',
    'a'.repeat(600),
    null,
  ])('refuses %j (API-14)', (image) => {
    expect(() => parseReference(image)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});
