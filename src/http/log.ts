/** One line a request, by the pattern of its route: what a client wrote, in a path, a query or a header, is not in it. */
import { pino, type DestinationStream, type Logger } from 'pino';

export function logTo(destination: DestinationStream, level = 'info'): Logger {
  const redact = {
    paths: ['authorization', 'token', '*.authorization', '*.token', 'headers', '*.headers'],
    remove: true,
  };
  return pino({ level, redact, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
