/** What would be decided about commands, for front ends. The grammar is loaded when a command is judged, and not before. */
import { homedir } from 'node:os';
import type { PolicyApi } from '../api.ts';
import type { Guarantees } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { backendKey } from '../../config/backends.ts';
import type { Loaded } from '../../config/types.ts';
import type { Rulebook } from '../../guard/rulebook.ts';
import { flagOf } from '../../plan/backend-keys.ts';
import { isGrammarLost } from '../../shell/grammar/load.ts';
import { ephemeralPrefix } from '../../values/task.ts';

export interface PolicyDependencies {
  readonly cwd: string;
  readonly loaded: Loaded;
  readonly rulebook: Rulebook;
  readonly hooks: PolicyApi['hooks'];
  readonly isolationOf: (backend: string) => Guarantees['isolation'];
}

export function policyOf({ hooks, ...parts }: PolicyDependencies): PolicyApi {
  return {
    hooks,
    examples: async () => [...(await (await import('../../policy/examples.ts')).checkedExamples())],
    ignored: () => parts.rulebook.ignored(),
    ready: async () => await checkReady(parts.rulebook),
    ...checkerOf(parts),
  };
}

async function checkReady(rulebook: Rulebook): Promise<void> {
  await rulebook.of(ephemeralPrefix);
  if (!(await isGrammarLost())) return;
  throw new CaissonError('failed_precondition', 'the shell grammar cannot be loaded', {
    remedy: 'install Caisson again',
  });
}

type CheckerDependencies = Pick<PolicyDependencies, 'cwd' | 'loaded' | 'isolationOf'> & {
  readonly rulebook: Pick<Rulebook, 'asked'>;
};

export function checkerOf({
  cwd,
  loaded: { config, env, home: state },
  rulebook,
  isolationOf,
}: CheckerDependencies): Pick<PolicyApi, 'checker'> {
  return {
    checker: async ({ backend = config.terminal.backend, cwd: given, stdin = false, ...query }) => {
      const isolation = isolationOf(backend);
      const { openChecker } = await import('../../policy/checker.ts');
      const { writtenFindings } = await import('../../guard/writes/step.ts');
      const home = env['HOME'] === undefined ? {} : { home: env['HOME'] };
      const here = isolation === 'none' ? { cwd: query.directory ?? cwd, ...home } : { cwd: '/workspace' };
      return await openChecker({
        ...here,
        against: (writes) => writtenFindings(writes, { userHome: env['HOME'] ?? homedir(), home: state }),
        isolation,
        stdin,
        hostPaths: flagOf(config.terminal, backendKey(backend, 'mount_cwd_to_workspace'), false),
        cwd: given ?? config.terminal.cwd ?? here.cwd,
        settings: await rulebook.asked(query),
      });
    },
  };
}
