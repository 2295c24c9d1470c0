import { Agent, request } from 'node:http';
import { PassThrough } from 'node:stream';
import { CaissonError } from '../../src/errors.ts';
import type { Bench } from '../bench.ts';
import { figuresOf, judge, median } from '../figure.ts';
import { interleave, timed } from '../interleave.ts';
import { ourExec } from '../ours.ts';
import { withSandbox } from '../place.ts';

const clients = 16;
const command = ['echo', 'x'] as const;

/** A client in the same process: what it costs counts as a cost of the service. */
export const http: Bench = {
  name: 'http',
  about: 'one command over HTTP, as a stream and as JSON, against the library in the same process; 16 clients at once',
  async *run({ place: open, quick }) {
    const place = await open();
    const { caisson } = place;
    const token = await caisson.tokens.create({ name: 'bench', scopes: ['run', 'read'] }, 'bench');
    const settings = { ...caisson.config.server, port: 0, shutdown_seconds: 1 };
    // Only now: no other bench is to load it.
    const { serve } = await import('../../src/http/serve.ts');
    const serving = await serve(caisson, { settings, isPublic: false, log: new PassThrough().resume() });
    const agent = new Agent({ keepAlive: true });
    const post = (url: string, accept: string): Promise<void> => answered(url, { accept, token: token.token, agent });
    try {
      const rounds = quick ? { warmUp: 5, rounds: 20 } : { warmUp: 20, rounds: 200 };
      yield* await withSandbox(place, async (taskId) => {
        const url = `${serving.url}/v1/sandboxes/${taskId}/execs`;
        const library = async (): Promise<number> => (await ourExec(place, { taskId, existing: true }, command)).endMs;
        const streamed = await interleave(() => timed(() => post(url, 'application/x-ndjson')), library, rounds);
        const whole = await interleave(() => timed(() => post(url, 'application/json')), library, rounds);
        const above = median(streamed.ours) - median(streamed.baseline);
        const many = await interleave(
          () => timed(() => atOnce(() => post(url, 'application/x-ndjson'))),
          () => timed(() => atOnce(library)),
          { warmUp: 1, rounds: quick ? 3 : 20 },
        );
        const rate = median(many.baseline) / median(many.ours);
        return [
          ...figuresOf('stream', streamed, { unit: 'ms', target: null }),
          judge(
            { figure: 'stream, above', unit: 'ms', ours: above, baseline: null, ratio: null, n: streamed.ours.length },
            { of: 'ours', is: '<=', value: 1.5 },
          ),
          ...figuresOf('json', whole, { unit: 'ms', target: null }),
          judge(
            {
              ...{ figure: `${clients} clients`, unit: 'execs/s', n: many.ours.length, ratio: rate },
              ours: (clients * 1000) / median(many.ours),
              baseline: (clients * 1000) / median(many.baseline),
            },
            { of: 'ratio', is: '>=', value: 0.7 },
          ),
        ];
      });
    } finally {
      agent.destroy();
      await serving.stop();
      await caisson.tokens.remove(token.id, 'bench');
    }
  },
};

async function atOnce(act: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: clients }, act));
}

interface How {
  readonly accept: string;
  readonly token: string;
  readonly agent: Agent;
}

function answered(url: string, { accept, token, agent }: How): Promise<void> {
  const headers = { accept, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('end', () =>
        text.includes('"exitCode":0') ? resolve() : reject(new CaissonError('internal', text.slice(0, 500))),
      );
    });
    asked.once('error', reject).end(JSON.stringify({ command, timeoutMs: null }));
  });
}
