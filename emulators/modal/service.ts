/** What both services of one start work on. */
import type { Images } from './images.ts';
import type { Sandboxes } from './sandboxes.ts';
import type { Tokens } from './tokens.ts';

export interface Service {
  readonly images: Images;
  readonly sandboxes: Sandboxes;
  readonly tokens: Tokens;
  /** Ids by name. */
  readonly apps: Map<string, string>;
  readonly secrets: Map<string, Readonly<Record<string, string>>>;
  /** Address of the router; the SDK insists on https in front, and dials 127.0.0.1 in the clear. */
  readonly url: () => string;
}
