/** Stands before every skill that is loaded: what is dangerous is refused until a person has accepted exactly its files. */
import { dirname } from 'node:path';
import type { Audit } from '../../audit/types.ts';
import { CaissonError } from '../../errors.ts';
import { approve, approvedHashes } from '../../secrets/scan/approved.ts';
import { declaredVariables } from '../../secrets/skill.ts';
import { isInside } from '../inside.ts';
import { judgeSkill, verdictOf } from './judge.ts';
import { readSkill } from './tree.ts';
import type { SkillFinding, SkillScan } from './types.ts';

export interface SkillsDependencies {
  /** The state directory, where it is kept what was accepted. */
  readonly home: string;
  readonly audit: Pick<Audit, 'record' | 'recordSoon'>;
  /** Environment of this process, which Caisson itself may have started. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const fileName = 'SKILL.md';
const maxShown = 4;

export class SkillGuard {
  readonly #parts: SkillsDependencies;

  constructor(parts: SkillsDependencies) {
    this.#parts = parts;
  }

  /** Scans the directory of a skill. Throws `invalid_argument` when it has no SKILL.md. */
  async scan(directory: string): Promise<SkillScan> {
    return (await this.#judged(directory)).scan;
  }

  /** Before a skill is used, whose SKILL.md has this text. Throws `policy_denied`; answers cautions, for people. */
  readonly admit = async (file: string, text: string): Promise<readonly string[]> => {
    const { scan, text: judged } = await this.#judged(dirname(file));
    if (judged !== text) throw new CaissonError('conflict', `${file} has changed while it was read`);
    const refused = scan.verdict === 'dangerous' && !scan.accepted;
    if (scan.verdict !== 'safe') this.#record(scan, refused ? 'deny' : 'allow');
    if (refused) throw skillRefusedError(scan);
    return scan.verdict === 'caution' && !scan.accepted ? [cautionOf(scan)] : [];
  };

  /** Accepts exactly what was scanned. Throws `failed_precondition` when not all could be read. */
  async accept(scan: SkillScan): Promise<void> {
    if (isInside(this.#parts.env))
      throw new CaissonError('permission_denied', 'a command that Caisson runs cannot accept skills', {
        remedy: 'look at the skill and accept it from a terminal of your own',
      });
    if (scan.sha256 === null)
      throw new CaissonError('failed_precondition', `${scan.path} cannot be accepted: not all of it could be read`, {
        remedy: 'remove what `caisson scan` calls unreadable',
      });
    await approve(this.#parts.home, scan.sha256, scan.path);
    await this.#parts.audit.record({ ...entryOf(scan), verdict: 'allow', accepted: true });
  }

  async #judged(directory: string): Promise<{ readonly scan: SkillScan; readonly text: string }> {
    const tree = await readSkill(directory);
    const main = tree.files.find(({ path }) => path === fileName);
    if (main === undefined)
      throw new CaissonError('invalid_argument', `${directory} has no ${fileName} that can be read`, {
        remedy: 'name the directory of a skill',
      });
    const text = main.bytes.toString();
    const { openPolicy } = await import('../../policy/policy.ts');
    const findings = judgeSkill(tree, new Set(await declaredVariables(text)), await openPolicy());
    const approved = tree.sha256 !== null && (await approvedHashes(this.#parts.home)).has(tree.sha256);
    const scan = {
      path: directory,
      verdict: verdictOf(findings),
      accepted: approved,
      findings,
      sha256: tree.sha256,
      files: tree.files.length,
    };
    return { scan, text };
  }

  #record(scan: SkillScan, verdict: 'allow' | 'deny'): void {
    const findings = scan.findings
      .slice(0, 20)
      .map(({ file, line, category, severity }) => ({ file, line, category, severity }));
    this.#parts.audit.recordSoon({ ...entryOf(scan), verdict, accepted: scan.accepted, findings });
  }
}

function entryOf({ path, verdict, sha256 }: SkillScan) {
  return { type: 'decision', taskId: null, execId: null, skill: path, judged: verdict, sha256 } as const;
}

function skillRefusedError(scan: SkillScan): CaissonError {
  const { path, findings, sha256 } = scan;
  const worst = findings.filter(({ severity }) => severity === 'dangerous');
  const more = worst.length > maxShown ? `, and ${worst.length - maxShown} more` : '';
  const shown = worst.slice(0, maxShown).map(describe).join('; ');
  const accept = sha256 === null ? '' : `; if it is meant so: caisson scan --approve ${path}`;
  return new CaissonError('policy_denied', `the skill ${path} is dangerous: ${shown}${more}`, {
    remedy: `look at it with caisson scan ${path}${accept}`,
    details: {
      skill: path,
      verdict: scan.verdict,
      sha256,
      findings: findings.slice(0, 50).map((each) => ({ ...each })),
    },
  });
}

function cautionOf({ path, findings }: SkillScan): string {
  const more = findings.length > maxShown ? `, and ${findings.length - maxShown} more` : '';
  return `the skill ${path} needs caution: ${findings.slice(0, maxShown).map(describe).join('; ')}${more}`;
}

const describe = ({ file, line, description }: SkillFinding): string =>
  `${file}${line === null ? '' : `:${line}`} ${description}`;
