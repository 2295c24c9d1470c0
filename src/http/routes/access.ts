/** Who may talk to an agent through a messenger: decided for one message, and administered. */
import { route } from '../route.ts';
import { codeBody, hearing, messageBody, paired, pairings, revokeBody, revoked } from '../schemas/access.ts';
import { bare } from '../schemas/common.ts';

export const checkMessage = route({
  ...bare,
  method: 'POST',
  path: '/v1/access/check',
  scope: 'run',
  about: 'Says whether a message is for the agent. A stranger who may pair gets a code.',
  body: messageBody,
  answer: hearing,
  run: async ({ api: { access }, body }) => {
    const heard = await access.message(body);
    return heard.what === 'heard' ? { ...heard, conversation: await access.conversation(body) } : heard;
  },
});

export const listPairings = route({
  ...bare,
  method: 'GET',
  path: '/v1/access/pairings',
  scope: 'admin',
  about: 'Lists who waits for pairing, and who is paired. Codes are not shown.',
  answer: pairings,
  run: ({ api }) => api.access.pairing.list(),
});

export const approvePairing = route({
  ...bare,
  method: 'POST',
  path: '/v1/access/pairings',
  scope: 'admin',
  about: 'Lets the user talk to the agent to whom the code was sent.',
  body: codeBody,
  answer: paired,
  run: ({ api, body, by }) => api.access.pairing.approve(body.platform, body.code, by),
});

export const revokePairing = route({
  ...bare,
  method: 'POST',
  path: '/v1/access/pairings/revoke',
  scope: 'admin',
  about: 'Takes back that a user may talk, by any id of the person.',
  body: revokeBody,
  answer: revoked,
  run: ({ api, body, by }) => api.access.pairing.revoke(body.platform, body.user, by),
});
