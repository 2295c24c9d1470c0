/** What front ends may ask about secrets. */
import type { CaissonApi } from './api.ts';
import type { Loaded } from './config/types.ts';
import { Redaction } from './secrets/redact/redactor.ts';
import { forwardedEnv } from './spec/env.ts';

export function secretsOf({ config, env }: Loaded): CaissonApi['secrets'] {
  return {
    redactor: ({ names = [] } = {}) => {
      const values = forwardedEnv([...config.terminal.docker_forward_env, ...names], env);
      return new Redaction(Object.entries(values).map(([name, value]) => ({ name, value }))).stream();
    },
  };
}
