/** What front ends may ask about secrets, and about texts that want them. */
import type { SecretsApi } from '../api.ts';
import type { Config, Loaded } from '../../config/types.ts';
import { CaissonError } from '../../errors.ts';
import type { SkillGuard } from '../../guard/skills/skills.ts';
import { forwardedNames } from '../../plan/backend-keys.ts';
import { Redaction } from '../../redact/redactor.ts';
import { approve, approvedHashes } from '../../secrets/scan/approved.ts';
import { declaredIn } from '../../secrets/redactions.ts';
import type { Declared } from '../../redact/types.ts';
import { scan } from '../../secrets/scan/scan.ts';
import { forwardedEnv } from '../../values/env.ts';

export function createSecretsApi({ config, env, home }: Loaded, skills: SkillGuard): SecretsApi {
  return {
    redactor: ({ names = [] } = {}) => {
      const values = forwardedEnv([...forwardedNames(config.terminal), ...names], env);
      const forwarded = Object.entries(values).map(([name, value]) => ({ name, value }));
      return new Redaction([...forwarded, ...serverSecrets(config)]).stream();
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
    scanSkill: async (directory) => await skills.scan(directory),
    acceptSkill: async (scanned) => await skills.accept(scanned),
  };
}

/** What MCP servers are given is known from the start: their errors go to models. */
export function serverSecrets({ mcp_servers: servers }: Config): readonly Declared[] {
  return Object.values(servers).flatMap(({ env = {} }) => declaredIn(env, new Set(Object.keys(env))));
}
