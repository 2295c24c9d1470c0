/** On which machine a program runs what it is given. */
import { afterOptions } from './options.ts';
import type { Elsewhere, Word } from './types.ts';

/** Options of ssh with a value. */
export const sshOptions = { short: 'BbcDEeFIiJLlmOopQRSWw' };

/** Word that names the host to which ssh logs in. */
export const sshHost = (words: readonly Word[]): Word | undefined => words[afterOptions(words, 1, sshOptions)];

const here = /^(?:[^@]*@)?(?:localhost|ip6-localhost|127(?:\.\d+)*|0|0\.0\.0\.0|\[?::1?\]?|\.host)$/i;

/** What its own name, and addresses that always lead here, do not say of a host is not known: another one. */
export const machineOf = (host: string | undefined): Elsewhere =>
  host === undefined || here.test(host) ? false : 'machine';

/** A machine reached from a container still counts as the container. */
export const further = (from: Elsewhere, to: Elsewhere = false): Elsewhere =>
  from === 'container' || to === false ? from : to;
