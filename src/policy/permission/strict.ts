/**
 * The preset `strict`, as data: the runtime safety policy of "Hermes Loop". The limits are applied where commands run;
 * rules and mode are judged here.
 */
import type { Mode, RuleTexts } from '../types.ts';

interface StrictProfile {
  readonly mode: Mode;
  readonly rules: RuleTexts;
  readonly workspaceLock: boolean;
  readonly defaultTimeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly outputBytes: number;
  readonly timeoutExitCode: number;
  /** Names that a child never gets; `*` ends a prefix. */
  readonly strippedEnv: readonly string[];
  readonly addedEnv: Readonly<Record<string, string>>;
  /** What a Python script may not hold, approved or not. */
  readonly pythonBlocked: readonly { readonly description: string; readonly pattern: RegExp }[];
}

const subcommands = (program: string, names: string): readonly string[] =>
  names.split(' ').map((name) => `terminal(${program} ${name}:*)`);

export const strictProfile: StrictProfile = {
  mode: 'supervised',
  rules: {
    allow: [
      ...subcommands('git', 'status diff log branch show'),
      'terminal(rg:*)',
      ...['lint', 'typecheck', 'build', 'test', 'ls'].map((name) => `terminal(npm run ${name})`),
      'terminal(npm test)',
      'terminal(npm ls)',
      'terminal(npx tsc --noEmit)',
      'terminal(npx next lint)',
      'terminal(npx prisma validate)',
      'terminal(npx prisma generate)',
      'terminal(ls:*)',
      'terminal(dir:*)',
      'terminal(pwd)',
      'terminal(cat:*)',
      'terminal(type:*)',
      'terminal(Get-Content:*)',
      ...['node', 'npm', 'npx', 'python', 'tsc', 'next', 'prisma'].map((name) => `terminal(${name} --version)`),
      // What cat, ls and rg may do, file tools may do too.
      ...['read_file', 'list_files', 'search_files'],
    ],
    deny: [
      'terminal(rm -rf:*)',
      'terminal(rmdir /s:*)',
      'terminal(rd /s:*)',
      'terminal(del /s:*)',
      'terminal(format:*)',
      'terminal(mkfs:*)',
      'terminal(dd:*)',
      ...['shutdown', 'reboot', 'halt', 'poweroff'].map((name) => `terminal(${name}:*)`),
      'terminal(git push:*)',
      'terminal(vercel deploy:*)',
      'terminal(vercel --prod:*)',
      'terminal(railway up:*)',
      'terminal(npm publish:*)',
      'terminal(npm login:*)',
      'terminal(npm adduser:*)',
      'terminal(npm token:*)',
      'terminal(printenv:*)',
      'terminal(sudo:*)',
      'terminal(su:*)',
      'terminal(doas:*)',
      'terminal(kill -9:*)',
      'terminal(kill -KILL:*)',
      'terminal(Stop-Process -Force:*)',
      'terminal(eval:*)',
      'terminal(exec:*)',
      'terminal(iex:*)',
      'read_file(.env*)',
    ],
    ask: ['python_rpc'],
  },
  workspaceLock: true,
  defaultTimeoutMs: 30_000,
  maxTimeoutMs: 120_000,
  outputBytes: 8192,
  timeoutExitCode: 124,
  strippedEnv: ['HERMES_API_KEY', 'OPENROUTER_*', 'DATABASE_URL*'],
  addedEnv: { AGENT_FOUNDRY_RUNTIME: '1' },
  pythonBlocked: [
    {
      description: 'os.environ dump',
      pattern: /\bos\.environ(?!\s*(?:\.get\s*\(|\[)\s*['"](?!HERMES_API_KEY|OPENROUTER_|DATABASE_URL))/,
    },
    { description: 'subprocess with shell=True', pattern: /\bshell\s*=\s*True\b/ },
    { description: 'os.system', pattern: /\bos\s*\.\s*(?:system|popen)\b/ },
    {
      description: 'os.remove / shutil.rmtree',
      pattern: /\b(?:os\s*\.\s*(?:remove|unlink|rmdir)|shutil\s*\.\s*rmtree)\b/,
    },
    { description: 'open of an env file', pattern: /\bopen\s*\([^)]*\.?env\b/ },
    { description: 'exec / eval', pattern: /(?<![\w.])(?:exec|eval)\s*\(/ },
    { description: 'sockets', pattern: /\b(?:import\s+socket|from\s+socket\b|socket\s*\.\s*socket)\b/ },
    { description: 'http clients', pattern: /\b(?:urllib|requests|httpx|aiohttp)\b/ },
  ],
};

/** What the strict preset finds in the text of a Python script; empty when nothing. */
export function pythonFindings(
  script: string,
): readonly { readonly description: string; readonly start: number; readonly end: number }[] {
  return strictProfile.pythonBlocked.flatMap(({ description, pattern }) => {
    const found = pattern.exec(script);
    return found === null ? [] : [{ description, start: found.index, end: found.index + found[0].length }];
  });
}
