import { expect, it } from 'vitest';
import { Flow } from '../../src/client/exec/flow.ts';

const chunk = new Uint8Array(64 * 1024);

it('a reader that stops holds its writer, which goes on when it reads again', async () => {
  const flow = new Flow();
  let written = 0;
  const writing = (async () => {
    for (let count = 0; count < 100; count++) {
      await flow.push(chunk);
      written += 1;
    }
    flow.end();
  })();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(written).toBeLessThan(5);
  let read = 0;
  for await (const part of flow) read += part.length;
  await writing;
  expect([written, read]).toEqual([100, 100 * chunk.length]);
});

it('what is ignored is dropped and holds no writer', async () => {
  const flow = new Flow();
  let held: Promise<void> | null = null;
  while (held === null) held = flow.push(chunk);
  flow.ignore();
  await held;
  expect(flow.push(chunk)).toBe(null);
  expect(await Array.fromAsync(flow)).toEqual([]);
});

it('a reader that leaves its loop gives the rest up', async () => {
  const flow = new Flow();
  await flow.push(chunk);
  for await (const part of flow) {
    expect(part.length).toBe(chunk.length);
    break;
  }
  expect([flow.push(chunk), await Array.fromAsync(flow)]).toEqual([null, []]);
});
