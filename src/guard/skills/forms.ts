/** What scripts in any language do that the shell policy does not read: line by line, in bounded patterns. Pure. */
import { namesSecret } from '../../secrets/filters.ts';
import type { SkillFinding } from './types.ts';

type FormFinding = Omit<SkillFinding, 'file'>;

interface Form {
  readonly category: string;
  readonly severity: FormFinding['severity'];
  readonly description: string;
  readonly pattern: RegExp;
}

const forms: readonly Form[] = [
  {
    category: 'obfuscation',
    severity: 'dangerous',
    description: 'decodes text and runs it',
    pattern:
      /\b(?:exec|eval|compile|Function)\s{0,3}\(.{0,60}?(?:b64decode|b32decode|fromhex|codecs\.decode|decompress|marshal\.loads|\batob|Buffer\.from|unescape|fromCharCode)\b/,
  },
  {
    category: 'obfuscation',
    severity: 'caution',
    description: 'holds long encoded text',
    pattern:
      /[A-Za-z0-9+/]{400}|(?:\\x[0-9a-fA-F]{2}){20}|(?:\\u[0-9a-fA-F]{4}){20}|fromCharCode\((?:\s{0,3}\d{1,7},){10}/,
  },
  {
    category: 'persistence',
    severity: 'dangerous',
    description: 'arranges to be run again later',
    pattern:
      /\bcrontab\s+(?!-l\b)\S|\/etc\/cron|\/etc\/(?:systemd|init\.d)\/|\bsystemctl\s+(?:--user\s+)?enable\b|\blaunchctl\s+(?:load|bootstrap)\b|LaunchAgents|\.config\/autostart|\.ssh\/authorized_keys|['"/~]\.(?:bashrc|zshrc|bash_profile|zprofile|profile)\b/,
  },
  {
    category: 'agent_control',
    severity: 'dangerous',
    description: 'switches off questions of Caisson, or changes its settings',
    pattern:
      /\b(?:CAISSON|HERMES)_YOLO_MODE\b|\.(?:caisson|hermes)\/(?:config\.yaml|\.env|hooks|approved)|\b(?:caisson|hermes)\s+(?:approvals|pairing|hooks)\s+(?:approve|accept)\b/,
  },
];

/** The environment as a whole: what is in it was not declared. */
const wholeEnvironment =
  /\b(?:dict|dumps|str|list|print|repr|urlencode)\(\s{0,3}(?:dict\()?os\.environ\b(?!\s{0,3}[.[])|\bos\.environ\.(?:items|copy|values)\(|\bJSON\.stringify\(\s{0,3}process\.env\b(?!\.)|\bObject\.(?:entries|values)\(\s{0,3}process\.env\b(?!\.)|^\s{0,40}(?:printenv|env)\s{0,3}(?:$|\||>)|\$\((?:printenv|env)\)|\bexport\s+-p\b/;
const secretFile =
  /(?:open|read\w{0,12}|cat|Path|cp|tar|zip|base64)\b.{0,60}?(?:\.ssh\/|\bid_(?:rsa|ed25519)\b|\.aws\/credentials|\.netrc\b|\.git-credentials|\.kube\/config|\.docker\/config\.json|\.gnupg|(?:^|[\s'"/=])\.env\b)/;
const sender =
  /\b(?:curl|wget|nc|ncat|scp|rsync)\s|\b(?:requests|httpx|aiohttp|session|client)\.(?:get|post|put|request)\(|\burlopen\(|\bfetch\(|\baxios\b|\bhttps?\.(?:request|get)\(|\bsocket\.(?:socket|create_connection)\(|\bHTTPS?Connection\(|\/dev\/(?:tcp|udp)\//;

const named = [
  /\bos\.(?:environ(?:\.get)?|getenv)\s{0,3}[[(]\s{0,3}['"](\w{1,80})['"]/g,
  /\bprocess\.env(?:\.|\[['"])(\w{1,80})/g,
  /\bENV\[['"](\w{1,80})['"]/g,
  /\$\{?([A-Z][A-Z0-9_]{1,79})\b/g,
];
const assigned =
  /^\s{0,40}(?:export\s+|local\s+|readonly\s+|declare\s+(?:-\w+\s+)?|read\s+(?:-\w+\s+)*)?([A-Za-z_]\w{0,79})=/;

/** `declared`: variables that the skill says it needs. */
export function formFindings(text: string, declared: ReadonlySet<string>): readonly FormFinding[] {
  const lines = text.split('\n');
  const own = new Set(lines.flatMap((line) => assigned.exec(line)?.[1] ?? []));
  const sends = lines.some((line) => sender.test(line));
  return lines.flatMap((line, index) => {
    const at = (found: Omit<FormFinding, 'line'>): FormFinding => ({ ...found, line: index + 1 });
    const known = forms
      .filter(({ pattern }) => pattern.test(line))
      .map(({ category, severity, description }) => at({ category, severity, description }));
    const reads = readsIn(line, (name) => declared.has(name) || own.has(name));
    return [...known, ...reads.map((description) => at(readOf(description, sends)))];
  });
}

/** What of the secrets of others a line reads. */
function readsIn(line: string, isOwn: (name: string) => boolean): readonly string[] {
  const names = named.flatMap((pattern) => [...line.matchAll(pattern)].map(([, name = '']) => name));
  const undeclared = [...new Set(names)].filter((name) => namesSecret(name) && !isOwn(name));
  return [
    ...(wholeEnvironment.test(line) ? ['reads the whole environment'] : []),
    ...(secretFile.test(line) ? ['reads a file that holds secrets'] : []),
    ...undeclared.map((name) => `reads ${name}, which required_environment_variables does not declare`),
  ];
}

function readOf(description: string, sends: boolean): Omit<FormFinding, 'line'> {
  return sends
    ? { category: 'exfiltration', severity: 'dangerous', description: `${description}, in a file that sends data away` }
    : { category: 'secret_read', severity: 'caution', description };
}
