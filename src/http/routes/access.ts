/** Who may talk to an agent through a messenger: decided for one message, and administered. */
import { access, pairing } from '../../service/verbs/access.ts';
import { outline, served } from '../made.ts';
import { route } from '../route.ts';
import { hearing, messageBody, plain } from '../schemas/access.ts';
import { bare } from '../schemas/common.ts';

const checkMessage = route({
  ...bare,
  ...outline(access.message),
  body: messageBody,
  answer: hearing,
  run: async ({ api, body }) => {
    const heard = await api.access.message(body);
    return heard.what === 'heard' ? { ...heard, conversation: await api.access.conversation(body) } : heard;
  },
});

export const accessRoutes = {
  ...served('access', access, { message: [checkMessage], conversation: [checkMessage] }),
  ...served('access.pairing', pairing, plain),
};
