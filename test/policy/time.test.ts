import { describe, expect, it } from 'vitest';
import { fullReadingMs, readingMs } from '../../src/shell/limits.ts';
import { loadGrammar } from '../../src/shell/grammar/load.ts';
import { policyOn } from '../../src/policy/policy.ts';
import { settingsOf } from '../../src/policy/settings.ts';
import type { Decision } from '../../src/policy/types.ts';

const policy = policyOn(settingsOf(), await loadGrammar());
const costly = (times: number): string => `a=${'x'.repeat(1000)};${'eval "$a $a"; a="$a $a";'.repeat(times)}`;

/** Processor time, which a busy host does not change. */
function decided(command: string): { readonly decision: Decision; readonly cpuMs: number } {
  const from = process.threadCpuUsage();
  const decision = policy.decide({ command, cwd: '/w', reach: 'host' });
  const { user, system } = process.threadCpuUsage(from);
  return { decision, cpuMs: (user + system) / 1000 };
}

describe('the time of one decision', () => {
  it('bounds all texts that a command hands on, together', () => {
    // A parse that a busy host cuts makes a decision shorter, never longer.
    const decisions = Array.from({ length: 6 }, (_, round) => decided(`${costly(400)} ${round}`));
    for (const { decision, cpuMs } of decisions) {
      expect(decision.verdict).toBe('ask');
      expect(cpuMs).toBeLessThan(2.2 * readingMs);
    }
  });

  it('leaves out nothing of the text of the command itself', () => {
    expect(decided(`${costly(400)}\nrm -rf /`).decision.verdict).toBe('deny');
  });

  it('is far from what everyday commands take', () => {
    const command = `sh -c '${'for f in *.ts; do echo "$f" | sort; done; '.repeat(20)}'`;
    decided(command);
    const { decision, cpuMs } = decided(`${command} again`);
    expect(decision.findings.map(({ rule }) => rule).filter((rule) => rule.startsWith('U'))).toEqual([]);
    expect(cpuMs).toBeLessThan(fullReadingMs);
  });
});
