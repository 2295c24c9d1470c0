/** What may be connected to, for front ends. */
import type { Loaded } from '../../config/types.ts';
import type { WebsitePolicy } from '../../network/website-policy.ts';
import type { NetworkApi } from '../api.ts';

export interface NetworkAdminInput {
  readonly loaded: Loaded;
  readonly websites: WebsitePolicy;
}

export function networkOf({ loaded: { config, env }, websites }: NetworkAdminInput): Pick<NetworkApi, 'checker'> {
  return {
    checker: async () => {
      const [{ judgeUrls }, { addressRules }] = await Promise.all([
        import('../../network/address/url.ts'),
        import('../../network/address/rules.ts'),
      ]);
      const { allow_private: allowPrivate, nat64_prefix: nat64Prefix } = config.network;
      const rules = addressRules({ allowPrivate, nat64Prefix, env, websites: await websites.current() });
      return (query) => judgeUrls(query, rules);
    },
  };
}
