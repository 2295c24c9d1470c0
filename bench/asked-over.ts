/** One command over HTTP, by the means of Node alone. */
import { type Agent, request } from 'node:http';
import { CaissonError } from '../src/errors.ts';

export interface Asked {
  /** Address of the execs of a sandbox. */
  readonly url: string;
  readonly token: string;
  /** Media type of the answer. */
  readonly accept: string;
}

const body = JSON.stringify({ command: ['echo', 'x'], timeoutMs: null });

export function askedOver(agent: Agent, { url, token, accept }: Asked): Promise<void> {
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
