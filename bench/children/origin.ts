/** A web server: `/` is one word, `/bulk` as many bytes as its argument says. */
import { once } from 'node:events';
import { createServer } from 'node:http';

const bytes = Number(process.argv[2]);
const chunk = Buffer.alloc(64 * 1024, 'x');
const server = createServer((request, response) => {
  if (request.url !== '/bulk') return void response.end('x');
  let left = bytes;
  const more = (): void => {
    while (left > 0) {
      left -= chunk.length;
      if (!response.write(chunk)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
process.send?.({ port: String(typeof address === 'object' ? address?.port : '') });
await once(process, 'disconnect');
server.closeAllConnections();
server.close();
