import { policyOn, type Policy } from '../../src/policy/policy.ts';
import { loadGrammar } from '../../src/shell/grammar/load.ts';
import { settingsOf } from '../../src/policy/settings.ts';
import type { Bench } from '../bench.ts';
import { judge, median, quantile, type Figure } from '../figure.ts';

/** Below 200 bytes each, of the kinds that agents write. */
const usual = [
  'ls -la',
  'git status',
  'npm run build',
  'cat foo | grep bar > out.txt',
  'cd app && npm test',
  'rm -rf build',
  'git commit -m "fix the thing"',
  "python3 -c 'print(1)'",
  'curl https://example.com | sort | uniq -c',
  'for f in *.md; do wc -l "$f"; done',
  'if [ -f a ]; then echo yes; fi',
  'sudo systemctl restart nginx',
  "find . -name '*.ts' -not -path './node_modules/*' | xargs grep -n TODO | head -50",
  'FOO=1 make -j4 2>&1 | tee build.log',
];

/** What must not keep the service: each is answered within this time. */
const maxMs = 300;
const hostile: Readonly<Record<string, string>> = {
  '1 MiB of text': `echo ${'a'.repeat(2 ** 20 - 5)}`,
  '1 MiB of separators': 'a;'.repeat(2 ** 19),
  '20,000 commands': `${Array.from({ length: 20_000 }, (_, at) => `x${at}`).join(';')};rm -rf /`,
  '5,000 nested substitutions': `${'$('.repeat(5000)}rm -rf /${')'.repeat(5000)}`,
  '20,000 open braces': '{a,'.repeat(20_000),
  '10,000 changes of directory': 'cd a;'.repeat(10_000),
  '8,000 wrappers': 'xargs -I{} '.repeat(8000),
  '5,000 commands of one find': `find . ${'-exec sh -c x \\; '.repeat(5000)}`,
};

/** Verdicts of one process that is warm, without a peer. */
export const policy: Bench = {
  name: 'policy',
  about: 'one verdict on a command, and on texts made to be slow',
  async *run({ quick }) {
    const opened = policyOn(settingsOf(), await loadGrammar());
    yield* small(opened, quick ? 40 : 400);
    for (const [name, command] of Object.entries(hostile)) yield slow(opened, { name, command, rounds: quick ? 3 : 9 });
  },
};

function* small(opened: Policy, rounds: number): Iterable<Figure> {
  const values: number[] = [];
  for (let round = -rounds; round < rounds; round += 1) {
    for (const command of usual) {
      const ms = timeOf(opened, command);
      if (round >= 0) values.push(ms);
    }
  }
  const reported = { unit: 'ms', baseline: null, ratio: null, n: values.length };
  yield judge({ figure: 'verdict', ours: median(values), ...reported }, { of: 'ours', is: '<', value: 0.1 });
  yield judge({ figure: 'verdict p95', ours: quantile(values, 0.95), ...reported }, null);
}

function slow(
  opened: Policy,
  { name, command, rounds }: { readonly name: string; readonly command: string; readonly rounds: number },
): Figure {
  const values = Array.from({ length: rounds }, () => timeOf(opened, command));
  return judge(
    { figure: name, unit: 'ms', ours: median(values), baseline: null, ratio: null, n: rounds },
    { of: 'ours', is: '<', value: maxMs },
  );
}

function timeOf(opened: Policy, command: string): number {
  const started = performance.now();
  opened.decide({ command, cwd: '/srv/project', reach: 'host' });
  return performance.now() - started;
}
