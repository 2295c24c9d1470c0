/**
 * Phrases by which a text tries to steer whoever loads it. They are looked for in the folded text. Every repetition has
 * a bound, so that no text makes them slow.
 */
import type { ScanCategory } from './types.ts';

export interface Phrase {
  readonly category: ScanCategory;
  readonly rule: string;
  readonly description: string;
  readonly pattern: RegExp;
}

/** Up to eight words between two others. */
const gap = String.raw`(?:[^\w\n]{1,6}[\w'-]{1,30}){0,8}?[^\w\n]{1,6}`;
const earlier = String.raw`(?:previous|prior|above|earlier|preceding|foregoing|your|system|safety|original|initial)`;
const orders = String.raw`(?:instructions?|rules?|directives?|guidelines?|prompts?|restrictions?|constraints?|safeguards?)\b`;
const secretFile = String.raw`(?:(?:^|[\s/"'=(@~])\.env(?:\.(?!example|sample|template|dist)[\w-]{1,30})?(?![\w.-])|\.netrc\b|\.git-credentials\b|\.pgpass\b|\.npmrc\b|\.pypirc\b|\.aws/credentials|\.ssh/id_\w{1,20}|\.kube/config\b|\.docker/config\.json|/etc/shadow\b|\bcredentials(?:\.json|\.ya?ml|\.db)?\b(?! (?:are|is|for|in|via|helper|to|from|with|and)\b))`;
const secretVariable = String.raw`\$\{?(?:env:)?\w{0,40}(?:key|token|secret|passw|credential|auth)\w{0,40}`;
const sender = String.raw`\b(?:curl|wget|nc|ncat|http|https|invoke-webrequest|iwr|fetch)\b`;

const table: readonly (readonly [ScanCategory, string, string, string])[] = [
  [
    'prompt_injection',
    'ignore-instructions',
    'wants earlier orders dropped',
    String.raw`\b(?:ignore|disregard|forget|override|bypass|neglect)\b(?:${gap}${earlier}\b${gap}${orders}|${gap}${orders}[^\w\n]{1,3}(?:above|before|so far)\b)`,
  ],
  [
    'prompt_injection',
    'ignore-instructions-other-languages',
    'wants earlier orders dropped',
    String.raw`忽略.{0,12}(?:指令|指示|说明|规则|提示)|ignoriere?.{0,30}(?:vorherigen|bisherigen|obigen).{0,20}(?:anweisungen|regeln)|ignore[zr]?.{0,30}instructions.{0,20}(?:précédentes|ci-dessus)|ignor[ae].{0,30}instrucciones.{0,20}(?:anteriores|previas)`,
  ],
  [
    'prompt_injection',
    'system-prompt',
    'reaches for the system prompt',
    String.raw`\b(?:override|replace|reveal|print|show|leak|repeat|output|new)\b${gap}(?:system prompt|developer message|system message)\b`,
  ],
  [
    'prompt_injection',
    'role',
    'gives the reader another role',
    String.raw`\byou are (?:now|from now on)\b.{0,20}\b(?:dan|unrestricted|jailbroken|developer mode|god mode|root|admin|no longer)\b|\b(?:act|behave) as (?:if you (?:have|had) no|an? (?:unrestricted|unfiltered|jailbroken))\b|\bpretend (?:that )?you (?:are|have) (?:no|not|un)`,
  ],
  [
    'prompt_injection',
    'turn-marker',
    'imitates the markers of a conversation',
    String.raw`<\|(?:im_start|im_end|system|assistant|endoftext)\|>|\[/?inst\]|<</?sys>>`,
  ],
  [
    'prompt_injection',
    'hide-from-user',
    'tells to keep something from the user',
    String.raw`\b(?:do not|don't|dont|never|without)${gap}?(?:tell|telling|inform|informing|mention|mentioning|notify|notifying|alert|alerting)\b${gap}(?:users?|humans?|operators?|anyone|anybody)\b`,
  ],
  [
    'prompt_injection',
    'decode-and-run',
    'tells to run what a text hides',
    String.raw`\b(?:translate|decode|decrypt|deobfuscate)\b${gap}(?:and|then)\b${gap}(?:execute|run|eval|follow|obey)\b`,
  ],
  [
    'prompt_injection',
    'disarm',
    'turns protection off',
    String.raw`\bunset\s{1,4}(?:caisson|hermes)_\w{1,40}|\b(?:caisson|hermes)_yolo_mode\s{0,2}=\s{0,2}1|>>?\s{0,4}\S{0,60}\.ssh/authorized_keys`,
  ],
  [
    'hidden_html',
    'comment',
    'gives orders in a comment that nobody sees',
    String.raw`<!--(?:(?!-->)[^]){0,1000}?\b(?:(?:ignore|disregard|override)\s{1,3}(?:all|any|the|your|previous|prior)|you must|do not tell|don't tell|system prompt|secretly|exfiltrat\w{1,6}|execute|curl\s|wget\s|api key)`,
  ],
  [
    'hidden_html',
    'element',
    'hides text from people',
    String.raw`<(?:div|span|p|section|font|a|td)\b[^>]{0,300}(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}0|opacity\s{0,3}:\s{0,3}0(?![.\d])|\shidden[\s>=])`,
  ],
  [
    'secret_read',
    'secret-file',
    'reads a file that holds secrets',
    String.raw`\b(?:cat|less|more|head|tail|type|read|open|print|dump|show|source|base64|xxd|strings|get-content)\b[^\n|;]{0,60}?${secretFile}`,
  ],
  [
    'exfiltration',
    'secret-variable',
    'sends a secret away',
    String.raw`${sender}[^\n]{0,300}?${secretVariable}|${secretVariable}[^\n]{0,120}\|[^\n]{0,60}${sender}`,
  ],
  [
    'exfiltration',
    'secret-file',
    'sends a file with secrets, or the environment, away',
    String.raw`${sender}[^\n]{0,200}?(?:@|<\s?|\$\(\s?cat |-t )[^\n]{0,60}?${secretFile}|\b(?:env|printenv|cat[^\n|]{0,80}${secretFile})[^\n]{0,80}\|[^\n]{0,40}${sender}`,
  ],
  [
    'exfiltration',
    'send',
    'tells to send secrets away',
    String.raw`\b(?:send|post|upload|forward|transmit|exfiltrate)\b${gap}(?:api keys?|credentials|secrets|passwords|tokens|environment variables|\.env)\b[^\n]{0,80}(?:https?://|\bto\b)`,
  ],
];

export const phrases: readonly Phrase[] = table.map(([category, rule, description, source]) => ({
  category,
  rule,
  description,
  pattern: new RegExp(source, 'gmu'),
}));
