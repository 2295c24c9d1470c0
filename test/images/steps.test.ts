import { expect, it } from 'vitest';
import { readSteps } from '../../images/builder/steps.ts';

const lines = [
  'I: running apt-get update...',
  'Get:1 http://mirror.test/debian bookworm InRelease [151 kB]',
  'I: downloading packages with apt...',
  '0 upgraded, 2 newly installed, 0 to remove and 0 not upgraded.',
  'I: extracting archives...',
  'I: installing essential packages...',
  'Unpacking bash (5.2) ...',
  'Unpacking libc6:amd64 (2.36) ...',
  'Setting up libc6:amd64 (2.36) ...',
  'Setting up bash (5.2) ...',
  'I: installing remaining packages inside the chroot...',
  '0 upgraded, 10 newly installed, 0 to remove and 0 not upgraded.',
  'Unpacking git (1:2.39) ...',
  'I: success in 9.1 seconds',
];

it('the steps of mmdebstrap are counted in packages that are unpacked and set up', () => {
  const read = readSteps();
  const steps = lines.map(read).filter((progress) => progress !== null);
  expect(steps.map(({ what, done, total }) => `${what} ${done}/${total}`)).toEqual([
    'downloading packages with apt null/null',
    'extracting archives null/null',
    'installing essential packages null/null',
    'installing essential packages 1/4',
    'installing essential packages 2/4',
    'installing essential packages 3/4',
    'installing essential packages 4/4',
    'installing remaining packages inside the chroot null/null',
    'installing remaining packages inside the chroot 1/20',
  ]);
});

it('a line of a package before any was announced counts as nothing', () => {
  expect(readSteps()('Setting up bash (5.2) ...')).toBe(null);
});
