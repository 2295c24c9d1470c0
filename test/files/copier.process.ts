/** Copies in a process of its own, which a test can kill or weigh: `in|out SOURCE TARGET`. Tells RSS when it is done. */
import { copyIn } from '../../src/files/copy-in.ts';
import { copyOut } from '../../src/files/copy-out.ts';
import { processSandbox } from './process-sandbox.ts';

const [way, source = '', target = ''] = process.argv.slice(2);
const base = process.memoryUsage.rss();
let most = base;
const watch = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss());
}, 5);
const onProgress = (): void => {
  process.stdout.write('.');
};
if (way === 'in') await copyIn(processSandbox(), { source, target, onProgress });
else await copyOut(processSandbox(), { source, target, onProgress });
clearInterval(watch);
process.stdout.write(`\n${JSON.stringify({ grownBytes: most - base })}\n`);
