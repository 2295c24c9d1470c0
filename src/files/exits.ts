/**
 * Exit codes of the scripts in `src/inside/files/`, which say which step failed. They choose the words of an error and
 * nothing else: the sandbox may lie. A test compares them with `exits.sh`.
 */
export const exits = {
  denied: 81,
  elsewhere: 82,
  sizeless: 83,
  directory: 84,
  pattern: 85,
  notEmpty: 86,
  exists: 87,
  changed: 88,
  withheld: 89,
  noTar: 90,
  missing: 91,
  noParent: 92,
  isDirectory: 93,
  notDirectory: 94,
  noScratch: 95,
  tarFailed: 96,
  incomplete: 97,
  notPlaced: 98,
  special: 99,
} as const;
