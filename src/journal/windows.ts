/**
 * Memory for reading segment files. A cursor has a large window only from a read to the end of what is there: a reader that
 * waits holds a small one, and one that reads as fast as the disk writes gets the same large one again, instead of garbage
 * each time.
 */
export const windowBytes = 256 * 1024;
const smallBytes = 4 * 1024;
const maxSpare = 4;

const spare: Buffer<ArrayBuffer>[] = [];

export function takeWindow(neededBytes: number): Buffer<ArrayBuffer> {
  if (neededBytes <= smallBytes) return Buffer.alloc(smallBytes);
  if (neededBytes > windowBytes) return Buffer.alloc(neededBytes);
  return spare.pop() ?? Buffer.alloc(windowBytes);
}

/** What is left to a cursor at the end of what is there. Nothing may refer to the bytes of the window any more. */
export function leaveWindow(memory: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  if (memory.length <= smallBytes) return memory;
  if (memory.length === windowBytes && spare.length < maxSpare) spare.push(memory);
  return Buffer.alloc(0);
}
