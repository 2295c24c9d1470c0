/** Copies in a process of its own, which a test can kill or weigh: `in|out SOURCE TARGET`. Tells RSS when it is done. */
import { copyIn } from '../../src/files/copy-in.ts';
import { copyOut } from '../../src/files/copy-out.ts';
import { processSandbox } from './process-sandbox.ts';

const [way, source = '', target = ''] = process.argv.slice(2);
const base = process.memoryUsage.rss();
let max = base;
const watch = setInterval(() => {
  max = Math.max(max, process.memoryUsage.rss());
}, 5);
const onProgress = (): void => {
  process.stdout.write('.');
};
if (way === 'in') await copyIn(processSandbox(), { source, target, onProgress });
else await copyOut(processSandbox(), { source, target, onProgress });
clearInterval(watch);
process.stdout.write(`\n${JSON.stringify({ grownBytes: max - base })}\n`);
