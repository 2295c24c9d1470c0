/** Logs in as the dashboard does. */
import { expect } from 'vitest';
import type { World } from '../world.ts';

export interface Login {
  readonly key: string;
  readonly cookie: string;
  readonly token: Readonly<Record<string, unknown>>;
}

export async function logIn(world: World, token = world.agent, cookie?: string): Promise<Login> {
  const headers = cookie === undefined ? {} : { cookie };
  const answer = await world.ask('/login', { method: 'POST', token, headers });
  expect(answer.status).toBe(201);
  const { key, token: shown } = Object(await answer.json());
  return { key, token: shown, cookie: String(answer.headers.get('set-cookie')).split(';')[0] ?? '' };
}

export const withBoth = ({ key, cookie }: Login) => ({ token: key, headers: { cookie } });
