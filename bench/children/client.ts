/** Arguments: URL, token. A program that runs commands over HTTP. */
import { Agent } from 'node:http';
import { askedOver } from '../asked-over.ts';
import { serveRounds } from '../worker.ts';

const [url = '', token = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });

await serveRounds({}, (accept) => askedOver(agent, { url, token, accept }));
agent.destroy();
