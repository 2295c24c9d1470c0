/** The client of a service on loopback, with a proxy between that can break its connections. */
import { PassThrough } from 'node:stream';
import { connectCaisson } from '../../../src/client/index.ts';
import { serve } from '../../../src/http/serve.ts';
import type { Scope } from '../../../src/service/api.ts';
import type { OpenSubject, Role } from '../subject.ts';
import type { Home } from './embedded.ts';
import { proxyTo } from './proxy.ts';

const scopes: Readonly<Record<Role, readonly Scope[]>> = {
  agent: ['run', 'read', 'admin'],
  person: ['approve'],
  other: ['run', 'read', 'admin'],
};

export async function throughService(home: Home): Promise<OpenSubject> {
  const api = await home.open();
  const settings = { ...api.config.server, port: 0, shutdown_seconds: 0.5 };
  const serving = await serve(api, { settings, isPublic: false, log: new PassThrough().resume() });
  const proxy = await proxyTo(Number(new URL(serving.url).port));
  return {
    connect: async (role) => {
      const { token } = await api.tokens.create({ name: role, scopes: scopes[role] }, 'test');
      return connectCaisson({ url: proxy.url, token });
    },
    cut: proxy.cut,
    close: async () => {
      await proxy.close();
      await serving.stop();
      await api.close();
      home[Symbol.dispose]();
    },
  };
}
