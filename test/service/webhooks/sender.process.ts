/** A process that delivers events until it is killed: `node sender.process.ts DATABASE URL`. */
import { indexWebsites } from '../../../src/network/websites.ts';
import { Deliveries } from '../../../src/service/webhooks/deliveries.ts';
import { openSender } from '../../../src/service/webhooks/send.ts';
import { openStore } from '../../../src/store/sqlite/open.ts';
import { webhookKey } from '../../../src/values/webhook.ts';
import { secret } from './receiver.ts';

const [database = '', url = ''] = process.argv.slice(2);
const key = webhookKey(secret);
if (key === null) throw new Error('no secret');
const { store } = await openStore(database);
const rules = { allowPrivate: [], nat64Prefix: null, env: {}, websites: indexWebsites([]) };
const deliveries = new Deliveries({
  targets: [{ name: 'pager', url, key }],
  store,
  sender: () => Promise.resolve(openSender([url], rules)),
});
// Its timer alone keeps no process alive.
setInterval(() => undefined, 1000);
process.once('SIGTERM', () => void deliveries.close().finally(() => process.exit()));
