import { closeSync, fstatSync, readdirSync, readSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { closePipe, Pipes } from '../../../backends/shared/pipes.ts';

const descriptors = (): number => readdirSync('/proc/self/fd').length;

test('gives real pipes, each connected to itself alone', async () => {
  const pipes = new Pipes();
  const [first, second] = await pipes.take(2);
  if (first === undefined || second === undefined) throw new Error('two pipes were asked for');
  expect([first.read, first.write].every((fd) => fstatSync(fd).isFIFO())).toBe(true);
  writeSync(second.write, 'second');
  writeSync(first.write, 'first');
  const buffer = Buffer.alloc(16);
  expect(buffer.toString('utf8', 0, readSync(first.read, buffer))).toBe('first');
  expect(buffer.toString('utf8', 0, readSync(second.read, buffer))).toBe('second');
  closeSync(first.write);
  expect(readSync(first.read, buffer)).toBe(0);
  closeSync(first.read);
  closePipe(second);
  pipes.close();
});

test('serves many at once and gives every descriptor back', async () => {
  const before = descriptors();
  const pipes = new Pipes();
  const taken = await Promise.all(Array.from({ length: 25 }, () => pipes.take(3)));
  const fds = taken.flat().flatMap(({ read, write }) => [read, write]);
  expect(new Set(fds).size).toBe(150);
  taken.flat().forEach(closePipe);
  pipes.close();
  await expect.poll(descriptors, { timeout: 20_000 }).toBeLessThanOrEqual(before + 2);
});

test('refuses once it is closed', async () => {
  const pipes = new Pipes();
  pipes.close();
  await expect(pipes.take(1)).rejects.toMatchObject({ code: 'failed_precondition' });
});
