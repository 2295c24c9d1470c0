/**
 * Listens on loopback in the network namespace that it was started in, hands the listener to its parent, and ends. Started by
 * nsenter(1) with the files of this host; nothing of a sandbox runs here.
 */
/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access -- no types here */
import { readlinkSync } from 'node:fs';
import { createServer } from 'node:net';

const [port, namespaceOfHost] = process.argv.slice(2);

function end(problem, server = undefined) {
  process.send({ problem }, server, () => process.disconnect());
}

// A listener on the host's own loopback would serve every user of the host.
if (readlinkSync('/proc/self/ns/net') === namespaceOfHost) end('it is the network of the host');
else {
  const server = createServer();
  server.once('error', (error) => end(error.message));
  server.listen({ port: Number(port), host: '127.0.0.1' }, () => end(null, server));
}
