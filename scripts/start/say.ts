import { styleText } from 'node:util';

/** What the demonstration itself says, apart from what the commands print. */
export const say = {
  title: (text: string): void => void process.stdout.write(`\n${styleText('bold', text)}\n`),
  line: (text: string): void => void process.stdout.write(`${text}\n`),
  command: (text: string): void => void process.stdout.write(`${styleText('cyan', `$ ${text}`)}\n`),
  failure: (text: string): void => void process.stderr.write(`\n${styleText('red', `Failed: ${text}`)}\n`),
};
