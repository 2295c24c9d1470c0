/** Reads commands until an optimizing compiler would have begun with the grammar, and prints the peak of its memory. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadGrammar } from '../../src/shell/grammar/load.ts';

const parse = await loadGrammar();
for (let count = 0; count < 2000; count += 1) parse?.(`mkdir -p "$1" && head -c ${count} /dev/urandom > "$1/bytes"`);
await sleep(1000);
const status = await readFile('/proc/self/status', 'utf8');
process.stdout.write(String(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024));
