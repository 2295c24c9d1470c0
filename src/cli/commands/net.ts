import type { AddressVerdict, UrlChecker } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { answerLines } from '../lines.ts';

const exitCodes: Readonly<Record<AddressVerdict['verdict'], number>> = { allow: 0, block: 3 };

export const netCheck = defineCommand({
  name: 'net check',
  summary: 'Tell whether a URL may be fetched',
  about:
    'Nothing is looked up and nothing is connected to: a name of which no address is given is not resolved,\n' +
    'and blocked. Without URL, lines {"url": "...", "dns": ["ADDRESS"], "redirects": ["URL"]} are read from\n' +
    'standard input, dns and redirects as far as they are known, and one line is answered for each, in order.\n' +
    'For one URL the exit code is 0 when it is allowed, 3 when it is blocked; 125 for a command line that is\n' +
    'not understood. network.allow_private in the configuration file opens single private addresses.\n' +
    'A service that runs answers by the rules that it holds.',
  operands: [{ name: 'URL', count: 'optional' }],
  usageExitCode: 125,
  runs: false,
  exitsAsCommand: false,
  options: {
    dns: { type: 'list', value: 'ADDRESS', about: 'an address that the name resolves to' },
    redirect: { type: 'list', value: 'URL', about: 'where the answer redirects to' },
  },
  examples: [
    ['an address', 'net check http://169.254.169.254/'],
    ['a name', 'net check --dns 93.184.216.34 https://example.com/'],
    ['many at once', 'net check --json < urls.ndjson'],
  ],
  run: async (given, context) => {
    const check = await checkerOf(context);
    const [url] = given.operands;
    if (url !== undefined) {
      const [dns, redirects] = [given.list('dns'), given.list('redirect')];
      return await answerOne(url, await check({ url, dns, redirects }), context);
    }
    return await answerLines(context, {
      example: '{"url": "..."}',
      answer: async (line) => {
        const [text, dns, redirects] = [line.text('url'), line.texts('dns'), line.texts('redirects')];
        return { url: text, ...(await check(queryOf(text, dns, redirects))) };
      },
    });
  },
});

type Query = Parameters<UrlChecker>[0];

/** Connections meet the rules of the service that runs, so that the service answers. */
async function checkerOf(context: Context): Promise<(query: Query) => Promise<AddressVerdict>> {
  const line = await context.line();
  if (line !== null) return await line.client.network.checker();
  const check = await (await context.settings()).network.checker();
  return async (query) => await Promise.resolve(check(query));
}

const queryOf = (url: string, dns: Query['dns'], redirects: Query['redirects']): Query => ({
  url,
  ...(dns === undefined ? {} : { dns }),
  ...(redirects === undefined ? {} : { redirects }),
});

async function answerOne(url: string, answer: AddressVerdict, context: Context): Promise<number> {
  if (context.json) await context.printJson({ url, ...answer });
  else if (!context.quiet) await context.print(`${answer.verdict}: ${escapeLine(answer.reason)}\n`);
  return exitCodes[answer.verdict];
}
