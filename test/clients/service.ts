/** A service for a client of another language: its addresses and tokens as variables of the environment. */
import { PassThrough } from 'node:stream';
import { serve } from '../../src/http/serve.ts';
import type { Scope } from '../../src/service/api.ts';
import type { Home } from '../api/subjects/embedded.ts';
import { proxyTo } from '../api/subjects/proxy.ts';

export interface ForeignService extends AsyncDisposable {
  readonly port: number;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Breaks the connections that go through `CAISSON_URL` at this moment. */
  readonly cut: () => void;
}

const scopes: Readonly<Record<string, readonly Scope[]>> = {
  CAISSON_TOKEN: ['run', 'read', 'admin'],
  CAISSON_OTHER: ['run', 'read', 'admin'],
  CAISSON_PERSON: ['approve'],
};

export async function foreignService(home: Home): Promise<ForeignService> {
  const api = await home.open();
  const settings = { ...api.config.server, port: 0, shutdown_seconds: 0.5 };
  const serving = await serve(api, { settings, isPublic: false, log: new PassThrough().resume() });
  const port = Number(new URL(serving.url).port);
  const proxy = await proxyTo(port);
  const tokens: Record<string, string> = {};
  for (const [name, of] of Object.entries(scopes))
    tokens[name] = (await api.tokens.create({ name: name.toLowerCase(), scopes: of }, 'test')).token;
  return {
    port,
    home: api.config.home,
    env: { CAISSON_HOME: api.config.home, CAISSON_URL: proxy.url, ...tokens },
    cut: proxy.cut,
    [Symbol.asyncDispose]: async () => {
      await proxy.close();
      await serving.stop();
      const { items } = await api.sandboxes.list({ limit: 1000 });
      await Promise.all(items.map(({ id }) => api.sandboxes.remove(id)));
      await api.close();
      home[Symbol.dispose]();
    },
  };
}
