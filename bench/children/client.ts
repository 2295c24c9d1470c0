/** Arguments: URL, token. A program that runs commands over HTTP, by the means of Node alone. */
import { Agent, request } from 'node:http';
import { CaissonError } from '../../src/errors.ts';
import { serveRounds } from '../worker.ts';

const [url = '', token = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const body = JSON.stringify({ command: ['echo', 'x'], timeoutMs: null });

await serveRounds({}, (accept) => answered(accept));
agent.destroy();

function answered(accept: string): Promise<void> {
  const headers = { accept, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('end', () =>
        text.includes('"exitCode":0') ? resolve() : reject(new CaissonError('internal', text.slice(0, 500))),
      );
    });
    asked.once('error', reject).end(body);
  });
}
