/** The end of a lane's command, with the kernel's word on memory. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessEnd, Sandbox } from '../../backend.ts';
import { endOf, readOpening } from './protocol.ts';

const memoryGraceMs = 100;

/** The word that the kernel killed for memory comes by another way than the end, and may come a little later. */
export async function endWithMemory(
  { exitCode, opening }: { readonly exitCode: number; readonly opening: string },
  { memory, killsBefore }: { readonly memory: Sandbox['memory']; readonly killsBefore: number },
): Promise<ProcessEnd> {
  const killed = (): boolean => (memory?.kills() ?? 0) > killsBefore;
  if (exitCode === 137 && memory !== undefined && !killed()) await (memory.look?.() ?? sleep(memoryGraceMs));
  return endOf(exitCode, readOpening(opening), killed());
}
