/** What front ends may ask about secrets, and about texts that want them. */
import type { CaissonApi } from './api.ts';
import type { Loaded } from './config/types.ts';
import { CaissonError } from './errors.ts';
import { Redaction } from './secrets/redact/redactor.ts';
import { approve, approvedHashes } from './secrets/scan/approved.ts';
import { scan } from './secrets/scan/scan.ts';
import { forwardedEnv } from './spec/env.ts';

export function secretsOf({ config, env, home }: Loaded): CaissonApi['secrets'] {
  return {
    redactor: ({ names = [] } = {}) => {
      const values = forwardedEnv(
        [...config.terminal.docker_forward_env, ...config.terminal.env_passthrough, ...names],
        env,
      );
      return new Redaction(Object.entries(values).map(([name, value]) => ({ name, value }))).stream();
    },
    scan: async (file) => {
      const approved = await approvedHashes(home);
      return scan(file, (sha256) => approved.has(sha256));
    },
    approve: async ({ findings, sha256, name }) => {
      if (findings.some(({ category }) => category === 'unreadable'))
        throw new CaissonError('failed_precondition', 'what cannot be read cannot be approved');
      await approve(home, sha256, name);
    },
  };
}
