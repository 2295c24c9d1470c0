/**
 * What programs inherit of the service's environment, by what they are. Containers, hosts elsewhere and clouds inherit
 * nothing. What is passed on by name (`env_passthrough`, skills) comes on top, except for MCP servers.
 */
import { isControlVariable, isInfrastructureVariable } from '../values/control-variables.ts';
import { checkExecEnv, variableName } from '../values/env.ts';
import { isStandardVariable } from '../values/standard-variables.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Values = Readonly<Record<string, string>>;

const secretWords = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|PASSWD|PASSPHRASE|AUTH|WEBHOOK|(?:^|_)DSN(?:_|$)/i;
/** `DB_PASS`, `MYSQL_PWD`; not `PWD`, where a shell is. */
const passwords = /(?:^|_)(?:PASS|PW)$|_PWD$/i;
/** An address with a password in it (RFC 3986, userinfo), whatever the variable is called and stands around it. */
const withPassword = /:\/\/[^/?#\s@]*:[^/?#\s@]+@/;
const safeInCode = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|TERM|TMPDIR|TMP|TEMP|TZ|VIRTUAL_ENV.*|CONDA.*)$/s;
const safeForServers = /^(?:PATH|HOME|USER|LANG|LC_ALL|TERM|SHELL|TMPDIR|XDG_[A-Z0-9_]+)$/;

export function namesSecret(name: string): boolean {
  return secretWords.test(name) || passwords.test(name);
}

/**
 * For commands on this host, where `terminal.local_environment` is `host`: all but what leads to the host or its services,
 * what changes what commands do, what is called like a secret, and addresses with passwords.
 */
export function localTerminalEnv(env: Env): Values {
  return kept(
    env,
    (name, value) =>
      !isInfrastructureVariable(name) && !isControlVariable(name) && !namesSecret(name) && !withPassword.test(value),
  );
}

/** Whether a program that somebody else wrote may inherit it. */
export function isSafeInCode(name: string): boolean {
  return !namesSecret(name) && !isInfrastructureVariable(name) && (safeInCode.test(name) || isStandardVariable(name));
}

/** For an MCP server that is a child of the service. `own`: what its own configuration sets, whatever it is. */
export function mcpChildEnv(env: Env, own: Values): Values {
  checkExecEnv(own, { operator: true });
  return { ...kept(env, (name) => safeForServers.test(name)), ...own };
}

/** For an MCP server in a sandbox, which has its own PATH, HOME, USER, SHELL and TMPDIR. */
export function mcpInsideEnv(env: Env, own: Values): Values {
  checkExecEnv(own, { operator: true });
  return { ...kept(env, (name) => /^(?:LANG|LC_[A-Z_]+|TERM)$/.test(name)), ...own };
}

function kept(env: Env, keeps: (name: string, value: string) => boolean): Values {
  return Object.fromEntries(
    Object.entries(env).filter(
      (pair): pair is [string, string] =>
        pair[1] !== undefined && variableName.test(pair[0]) && keeps(pair[0], pair[1]),
    ),
  );
}
