/** Opens connections, all at once, when its parent says so, and says when all have an answer. They stay open. */
import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number);
const request = 'GET / HTTP/1.1\r\nHost: here\r\n\r\n';

process.once('message', () => {
  let answered = 0;
  for (let at = 0; at < Number(count); at++) {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(request));
    socket.once('data', () => {
      answered += 1;
      if (answered === count) process.send?.('all');
    });
    socket.on('error', () => {});
  }
});
process.send?.('ready');
