/** The token behind the two halves of a login, and the end of logins whose token has ended. */
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { CaissonApi } from '../../service/api.ts';
import type { Bearer, Service } from '../types.ts';
import { cookiesIn, type CookieName, isKey } from './logins.ts';

const lookMs = 5000;

/** Tells services of one host apart by their state directory, which a digest does not show. */
export const cookieOfService = ({ api }: Pick<Service, 'api'>, { protocol }: FastifyRequest): CookieName => ({
  service: hash('sha256', api.config.home).slice(0, 8),
  secure: protocol === 'https',
});

/** `null`: the text is not a key, or the other half is missing. */
export async function bearerOfLogin(shown: string, request: FastifyRequest, service: Service): Promise<Bearer | null> {
  if (!isKey(shown)) return null;
  const { logins, api } = service;
  const login = logins.find(shown, cookiesIn(request.headers.cookie, cookieOfService(service, request)));
  if (login === null) return null;
  const token = await api.tokens.authenticate(login.token);
  if (token !== null) return { ...token, login: { key: shown, ended: login.ended } };
  logins.endToken(login.token);
  return null;
}

/** Ends streams of logins that have ended by time, or whose token was removed, until the service stops. */
export function watchLogins(
  { logins, closing }: Pick<Service, 'logins' | 'closing'>,
  tokens: CaissonApi['tokens'],
): void {
  const look = async (): Promise<void> => {
    logins.endLate();
    for (const token of logins.tokens()) if ((await tokens.authenticate(token)) === null) logins.endToken(token);
  };
  const timer = setInterval(() => void look().catch(() => undefined), lookMs);
  timer.unref();
  closing.addEventListener('abort', () => clearInterval(timer), { once: true });
}
