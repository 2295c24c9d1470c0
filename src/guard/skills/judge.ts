/** The verdict on a skill: its texts as a model would read them, its scripts as commands on a host. Pure. */
import { extname } from 'node:path';
import type { Policy } from '../../policy/policy.ts';
import type { Decision } from '../../policy/types.ts';
import { namesSecret } from '../../secrets/filters.ts';
import type { ScanFinding } from '../../secrets/scan/types.ts';
import { scan } from '../../secrets/scan/scan.ts';
import { formFindings } from './forms.ts';
import type { SkillFile, SkillTree } from './tree.ts';
import type { SkillFinding, SkillVerdict } from './types.ts';

type Language = 'bash' | 'python' | 'node' | 'other';

interface Script {
  readonly language: Language;
  readonly text: string;
  /** Lines before it in its file. */
  readonly before: number;
}

const byExtension: Readonly<Record<string, Language>> = {
  '.sh': 'bash',
  '.bash': 'bash',
  '.zsh': 'bash',
  '.py': 'python',
  '.js': 'node',
  '.mjs': 'node',
  '.cjs': 'node',
  '.ts': 'node',
  '.rb': 'other',
  '.pl': 'other',
  '.php': 'other',
  '.lua': 'other',
  '.ps1': 'other',
  '.bat': 'other',
};
const byProgram: readonly (readonly [RegExp, Language])[] = [
  [/\b(?:sh|bash|dash|zsh|ksh)\b/, 'bash'],
  [/\bpython/, 'python'],
  [/\b(?:node|bun|deno)\b/, 'node'],
];
const byFence: Readonly<Record<string, Language>> = {
  sh: 'bash',
  bash: 'bash',
  shell: 'bash',
  zsh: 'bash',
  console: 'bash',
  python: 'python',
  py: 'python',
  js: 'node',
  javascript: 'node',
  ts: 'node',
  typescript: 'node',
  node: 'node',
};
const documents = /\.(?:md|mdx|markdown|txt|rst|html?)$/i;
const maxLines = 500;
/** ELF, Mach-O and PE. */
const programMagic = /^(?:\x7fELF|\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe|MZ)/;

/** Findings of the text scanner that a person should see, but that honest texts have too. */
const lesser: ReadonlySet<string> = new Set(['secret_read', 'confusable_characters', 'control_characters']);
/**
 * Findings of the policy by which a script runs what was not judged, stays, or reaches for control. The others
 * (deletion of its own files, services, containers) are worth a look.
 */
const grave = /^(?:H\d+|D16|D16s|D16f|D16n|D17|D25e|D28|D12a|D22|D27n|D7|D7t|D7c|D7e|D8|D8r|D8d|D9f|D9k|D23p|D3s|D29)$/;
/** Rules about running a text at all say nothing about a script, which is always run. */
const usual = /^D(?:13|14|15|27|27p)$/;

export function judgeSkill(tree: SkillTree, declared: ReadonlySet<string>, policy: Policy): readonly SkillFinding[] {
  const findings = tree.files.flatMap((file) =>
    fileFindings(file, { declared, policy }).map((finding) => ({ ...finding, file: file.path })),
  );
  return distinct([...tree.problems, ...findings]);
}

export function verdictOf(findings: readonly SkillFinding[]): SkillVerdict {
  if (findings.some(({ severity }) => severity === 'dangerous')) return 'dangerous';
  return findings.length > 0 ? 'caution' : 'safe';
}

interface Judging {
  readonly declared: ReadonlySet<string>;
  readonly policy: Policy;
}

type FileFinding = Omit<SkillFinding, 'file'>;

function fileFindings({ path, bytes, isExecutable }: SkillFile, judging: Judging): readonly FileFinding[] {
  const text = textOf(bytes);
  const language = text === null ? null : languageOf(path, text);
  const isRead = language !== null || documents.test(path);
  if (text === null) {
    const isProgram = isExecutable || isRead || programMagic.test(bytes.toString('latin1', 0, 4));
    return isProgram ? [whole('binary', 'a program or text that cannot be read')] : [];
  }
  const scanned = scan({ name: path, bytes }).findings.filter(
    (finding) => (isRead || finding.category !== 'unreadable') && !isDeclaredUse(finding, text, judging.declared),
  );
  const scripts = language === null ? fencedIn(text) : [{ language, text, before: 0 }];
  return [...scanned.map(scannedFinding), ...scripts.flatMap((script) => scriptFindings(script, judging))];
}

/** A request with a key that the skill declares is what such a skill is for. */
function isDeclaredUse({ rule, start, end }: ScanFinding, text: string, declared: ReadonlySet<string>): boolean {
  if (rule !== 'secret-variable') return false;
  const names = [...text.slice(start, end).matchAll(/\$\{?(?:env:)?(\w{1,80})/g)].map(([, name = '']) => name);
  return names.filter(namesSecret).every((name) => declared.has(name));
}

function scannedFinding({ category, description, line }: ScanFinding): FileFinding {
  return { line, severity: lesser.has(category) ? 'caution' : 'dangerous', category, description };
}

function scriptFindings({ language, text, before }: Script, { declared, policy }: Judging): readonly FileFinding[] {
  const forms = formFindings(text, declared);
  const policed = language === 'other' ? [] : policyFindings({ language, text }, policy);
  return [...forms, ...policed].map((found) => ({ ...found, line: found.line === null ? null : found.line + before }));
}

interface Program {
  readonly language: Exclude<Language, 'other'>;
  readonly text: string;
}

function policyFindings(program: Program, policy: Policy): readonly FileFinding[] {
  const { language, text } = program;
  return seriousIn(program, policy).map(({ rule, description, start }) => ({
    line: language === 'bash' ? lineAt(text, start) : lineWith(rule, program, policy),
    severity: grave.test(rule) ? 'dangerous' : 'caution',
    category: 'command',
    description,
  }));
}

function seriousIn({ language, text }: Program, policy: Policy): Decision['findings'] {
  const { findings } = policy.decideCode({ language, text, reach: 'host', cwd: null });
  return findings.filter(({ rule }) => /^H\d/.test(rule) || (/^D\d/.test(rule) && !usual.test(rule)));
}

const lineAt = (text: string, start: number): number => text.slice(0, start).split('\n').length;

/** The first line that has the finding alone. The policy gives no lines for languages other than shell. */
function lineWith(rule: string, { language, text }: Program, policy: Policy): number | null {
  const lines = text.split('\n').slice(0, maxLines);
  const at = lines.findIndex(
    (line) =>
      line.includes('(') && seriousIn({ language, text: line.trim() }, policy).some((each) => each.rule === rule),
  );
  return at < 0 ? null : at + 1;
}

function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null; // data, or a program
  }
}

function languageOf(path: string, text: string): Language | null {
  const [, program] = /^#!([^\n]{1,200})/.exec(text) ?? [];
  if (program !== undefined) return byProgram.find(([form]) => form.test(program))?.[1] ?? 'other';
  return byExtension[extname(path).toLowerCase()] ?? null;
}

/** Code between the fences of a document: an agent is likely to run it. */
function fencedIn(text: string): readonly Script[] {
  return [...text.matchAll(/^[ \t]{0,8}(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*\n([^]*?)^[ \t]{0,8}\1/gm)].flatMap(
    ({ index, 2: name = '', 3: inner = '' }) => {
      const language = byFence[name.toLowerCase()];
      const before = text.slice(0, index).split('\n').length;
      return language === undefined ? [] : [{ language, text: inner, before }];
    },
  );
}

const whole = (category: string, description: string): FileFinding => ({
  line: null,
  severity: 'dangerous',
  category,
  description,
});

function distinct(findings: readonly SkillFinding[]): readonly SkillFinding[] {
  const byKey = new Map(findings.map((finding) => [JSON.stringify(finding), finding]));
  return [...byKey.values()].toSorted(
    (one, other) => (one.file < other.file ? -1 : one.file > other.file ? 1 : 0) || (one.line ?? 0) - (other.line ?? 0),
  );
}
