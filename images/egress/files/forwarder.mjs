/**
 * The one process of the egress image: carries bytes between port 3128 of loopback, in the network of a sandbox, and the socket
 * of that sandbox's door. It decides nothing. It stands alone: nothing else of Caisson is in the image.
 */
/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- no types here */
import { connect, createServer } from 'node:net';

const [path = '/door/door', port = '3128'] = process.argv.slice(2);
/** The proxy allows fewer, and says so to the client. */
const mostConnections = 1024;

/** Each side as fast as the other one takes it. Written by hand: `pipe` takes half as many bytes a second. */
function flow(from, to) {
  from.on('data', (chunk) => {
    if (!to.write(chunk)) from.pause();
  });
  to.on('drain', () => from.resume());
  from.on('end', () => to.end());
  from.on('error', () => undefined);
  from.on('close', () => {
    if (from.readableEnded && !to.writableFinished) to.once('finish', () => to.destroy());
    else to.destroy();
  });
}

const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
  const door = connect({ path, allowHalfOpen: true });
  flow(client, door);
  flow(door, client);
});
server.maxConnections = mostConnections;
server.listen(Number(port), '127.0.0.1', () => {
  process.stdout.write(`ready ${server.address().port}\n`);
});
