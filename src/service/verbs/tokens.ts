/** `caisson.tokens`. */
import type { TokensApi } from '../../access/tokens/types.ts';
import { admin, type Rows } from './row.ts';

export const tokens = {
  create: {
    ...admin('POST', '/v1/tokens', 'Makes a token, which is shown in this answer only.'),
    takes: ['...', 'by'],
    gives: { id: 'text', token: 'text', scopes: 'list' },
  },
  list: { ...admin('GET', '/v1/tokens', 'Lists tokens, never the secrets.'), gives: [{ id: 'text', scopes: 'list' }] },
  remove: {
    ...admin('DELETE', '/v1/tokens/{tokenId}', 'Removes a token: it holds no more from the next request on.'),
    takes: ['tokenId', 'by'],
    gives: null,
  },
  authenticate: {
    takes: ['token'],
    owner: 'refused',
    none: 'every request does it with the token that it brings',
  },
  admit: { takes: ['...'], owner: 'refused', none: 'every request is counted for the token that it brings' },
} as const satisfies Rows<TokensApi>;
