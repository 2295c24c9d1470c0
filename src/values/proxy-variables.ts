/** What tells programs in a sandbox with a filtered network where their way out is. Pure. */

/** Port of the door on the sandbox's loopback. */
export const doorPort = 3128;

const address = `http://127.0.0.1:${doorPort}`;
const direct = 'localhost,127.0.0.1,::1';

/**
 * In both cases: curl reads `http_proxy` in lower case only, others read upper case only. Node reads them at all with
 * `NODE_USE_ENV_PROXY`. apt, git, npm, pip and cargo go by these.
 */
export const proxyVariables: Readonly<Record<string, string>> = {
  HTTP_PROXY: address,
  HTTPS_PROXY: address,
  ALL_PROXY: address,
  NO_PROXY: direct,
  http_proxy: address,
  https_proxy: address,
  all_proxy: address,
  no_proxy: direct,
  NODE_USE_ENV_PROXY: '1',
  YARN_HTTP_PROXY: address,
  YARN_HTTPS_PROXY: address,
};
