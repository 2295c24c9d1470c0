/** Daytona's service on this machine, for one test file. */
import { existsSync } from 'node:fs';
import { type DaytonaEmulator, startDaytona } from '../../emulators/daytona/emulator.ts';
import { archiveOf, testImages } from './images.ts';

/** Programs that a sandbox of the emulator is made with. */
export const daytonaImage = 'caisson-test/debian:latest';

/** `null`: it should work. */
export function whyNoDaytona(): string | null {
  if (process.getuid?.() !== 0) return 'the emulator of Daytona keeps commands apart as root alone';
  return existsSync(archive(daytonaImage)) ? null : 'no test images: run `npm run engines`';
}

export async function startDaytonaHere(): Promise<DaytonaEmulator> {
  const archives = Object.fromEntries(testImages.map(({ reference }) => [reference, archive(reference)]));
  return await startDaytona({ unsafe: false, archives });
}

function archive(reference: string): string {
  const image = testImages.find((each) => each.reference === reference);
  if (image === undefined) throw new Error(`there is no test image ${reference}`);
  return archiveOf(image);
}
