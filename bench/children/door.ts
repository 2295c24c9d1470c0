/** Arguments: a path for the socket, the port of the origin. A door whose one allowed address leads there. */
import { once } from 'node:events';
import { Door } from '../../src/egress/door/door.ts';
import { defaultLimits } from '../../src/egress/door/limits.ts';
import { rulesetOf } from '../../src/egress/door/ruleset.ts';
import { addressRules } from '../../src/network/address/rules.ts';
import { systemLookup } from '../../src/network/dial/vet.ts';
import { indexWebsites } from '../../src/network/websites.ts';

const [path = '', port = ''] = process.argv.slice(2);
const place = '10.231.77.1:8080';
const websites = indexWebsites([]);
const door = new Door({
  task: 'bench',
  egress: rulesetOf({ allow: [place], deny: [], ports: [], presets: [] }),
  addresses: async () => addressRules({ allowPrivate: [place], nat64Prefix: null, env: {}, websites }),
  lookup: systemLookup,
  reach: () => ({ address: '127.0.0.1', port: Number(port) }),
  limits: { ...defaultLimits, maxConnections: 1000 },
  record: () => undefined,
});
await door.listen({ path });
process.send?.({ place, pid: String(process.pid) });
await once(process, 'disconnect');
await door.close();
