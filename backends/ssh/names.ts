/** Names of hosts and users, and the one command line that they are put into. */
import { CaissonError } from '../../src/errors.ts';

const forms = {
  host: /^[A-Za-z0-9_.:][A-Za-z0-9_.:%-]{0,253}$/,
  /** A user name may have a domain in front, as directory services write it: `DOMAIN\name`. */
  user: /^[A-Za-z0-9_.+][A-Za-z0-9_.+@\\-]{0,127}$/,
} as const;

/** Tokens of ssh_config(5). What is put in for them has passed `checkedName`, and is one word to a shell. */
export function proxyLine(
  text: string,
  { alias, host, port, user }: Readonly<Record<'alias' | 'host' | 'user', string>> & { readonly port: number },
): string {
  const tokens = new Map([
    ['%', '%'],
    ['h', host],
    ['n', alias],
    ['p', String(port)],
    ['r', user],
  ]);
  return text.replaceAll(/%(.?)/gs, (token, letter: string) => {
    const value = tokens.get(letter);
    if (value !== undefined && !value.includes('\\')) return value;
    throw new CaissonError('not_supported', `${token} of ProxyCommand in ~/.ssh/config is not supported`, {
      remedy: 'use %h, %n, %p and %r, the last one for names without a backslash',
    });
  });
}

/** Names travel in messages that people copy into a shell, and in the line of ProxyCommand. */
export function checkedName(name: string, what: 'host' | 'user'): string {
  if (forms[what].test(name)) return name;
  throw new CaissonError('invalid_argument', `${JSON.stringify(name.slice(0, 80))} is no name of a ${what} for ssh`, {
    remedy: `correct terminal.ssh_${what}, or the entry in ~/.ssh/config`,
  });
}
