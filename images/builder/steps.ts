/** How far mmdebstrap(1) is, from the lines that it, apt and dpkg write: which step, and how many of its parts are done. */
import type { Progress } from '../../src/backend.ts';

const step = /^I: (?!running|using|chroot arch|automatically|finding|skipping|removing|success|done)(.+?)\.*$/;
const announced = /^\d+ upgraded, (\d+) newly installed/;
const changed = /^(?:Unpacking|Setting up) \S/;

/** A package is unpacked, and set up later. */
const changesOfPackage = 2;

/** Gives a function that takes each line in turn, and gives what changed by it; `null` when nothing did. */
export function readSteps(): (line: string) => Progress | null {
  let what = '';
  let done = 0;
  let packages: number | null = null;
  return (line) => {
    packages = Number(announced.exec(line)?.[1] ?? Number.NaN) || packages;
    const begun = step.exec(line)?.[1];
    if (begun !== undefined) {
      what = begun;
      done = 0;
      return { what, done: null, total: null };
    }
    if (!changed.test(line) || packages === null) return null;
    done += 1;
    return { what, done, total: packages * changesOfPackage };
  };
}
