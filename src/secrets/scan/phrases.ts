/**
 * Phrases by which a text tries to steer the model that loads it. They are looked for in the folded text. Every repetition has
 * a bound, so that no text makes them slow.
 */
import { fold } from './fold.ts';
import type { ScanCategory } from './types.ts';

export interface Phrase {
  readonly category: ScanCategory;
  readonly rule: string;
  readonly description: string;
  readonly pattern: RegExp;
}

/** A sentence may go over lines; its end, an empty line and another item of a list end it. */
const apart = String.raw`(?:(?![.!?;]\s|\n\s{0,8}(?:\n|[-*+#|]|\d{1,3}[.)]))\W){1,8}`;
/** An empty line parts sentences, but not an order whose words follow each other without any other between them. */
const torn = String.raw`(?:(?![.!?;:]|\n\s{0,8}(?:[-*+#|]|\d{1,3}[.)]))\W){1,8}`;
/** What a sentence wants of its reader, rather than what it says of programs. */
const asOrder = String.raw`(?:^\W{0,6}|\b(?:you|please|now|always|then|must|should)\W{1,3})`;
/** Up to eight words between two others. */
const gap = String.raw`(?:${apart}[\w'-]{1,30}){0,8}?${apart}`;
const earlier = String.raw`(?:previous|prior|above|earlier|preceding|foregoing|your|system|safety|original|initial)`;
const orders = String.raw`(?:instructions?|rules?|directives?|guidelines?|prompts?|restrictions?|constraints?|safeguards?|programming|training)\b`;
const drop = String.raw`\b(?:ignore|disregard|forget|override|bypass|neglect|(?:do not|don't|never|stop) (?:follow|obey)(?:ing)?|pay no attention to)\b`;
const unbound = String.raw`(?:dan|unrestricted|unfiltered|uncensored|jailbroken)\b`;
const person = String.raw`(?:the|your) (?:users?|humans?|operators?|owners?)\b`;
const secretFile = String.raw`(?:(?<=^|[\s/"'=(@~])\.env(?:\.(?!example|sample|template|dist)[\w-]{1,30})?(?![\w.-])|\.netrc\b|\.git-credentials\b|\.pgpass\b|\.npmrc\b|\.pypirc\b|\.aws/credentials|\.ssh/id_\w{1,20}|\.kube/config\b|\.docker/config\.json|/etc/shadow\b|/proc/(?:self|\d{1,9}|\*)/environ\b|(?<![a-z])credentials(?:\.json|\.ya?ml|\.db)?\b(?! (?:are|is|for|in|via|helper|to|from|with|and)\b))`;
const secretVariable = String.raw`\$\{?(?:env:)?\w{0,40}(?:key|token|secret|passw|credential|auth)\w{0,40}`;
const sender = String.raw`\b(?:curl|wget|nc|ncat|http|https|invoke-webrequest|iwr|fetch)\b`;

/** Letters that look like Latin ones are folded into these in the text. */
const russian = (words: string): string => fold(words).text;

const table: readonly (readonly [ScanCategory, string, string, string])[] = [
  [
    'prompt_injection',
    'ignore-instructions',
    'wants earlier orders dropped',
    String.raw`${drop}(?:${gap}${earlier}\b${gap}${orders}|${gap}${orders}${apart}(?:above|before|so far|you (?:were|have been) given)\b|${apart}(?:all|any|every)(?: of)?(?: the| these| those| your)? (?:instructions|directives|prompts|guidelines|restrictions|safeguards)\b|${apart}(?:everything|anything|all|what)\b${gap}(?:above|before this|you (?:were|have been) told)\b)|\b(?:disregard|forget) (?:all|any) rules\b|\b(?:previous|prior|above|earlier|original) (?:instructions|rules|directives|prompts)${apart}(?:(?:are|is|have been)(?: now)? (?:void|invalid|cancell?ed|revoked|superseded)|no longer appl(?:y|ies))\b`,
  ],
  [
    'prompt_injection',
    'ignore-instructions-torn',
    'wants earlier orders dropped',
    String.raw`${drop}(?=[^]{0,100}?\n[^\S\n]{0,8}\r?\n)(?:(?:${torn}(?:all|any|every|of|the|these|those|my|your)\b){1,3}${torn}|${apart})${earlier}\b${torn}${orders}`,
  ],
  [
    'prompt_injection',
    'promptware',
    'makes the reader a node of a network that others command',
    String.raw`${asOrder}(?:must )?register as an? (?:new )?node\b|${asOrder}send (?:an? |regular |periodic ){0,2}heartbeats? to\b[^\n]{0,80}\bevery \d|\b(?:pull|fetch|poll for) (?:your |new )?tasking from\b|\b(?:configure|set|use|contact|connect to|reach)\b${gap}c2 (?:server|endpoint|channel|beacon|url)\b|\bcommand[- ]and[- ]control (?:will be|is|can be) reached\b|\bname yourself\s{1,4}[a-z]\w{2,}|\bonly use one[- ]liners\b`,
  ],
  [
    'prompt_injection',
    'ignore-instructions-other-languages',
    'wants earlier orders dropped',
    String.raw`(?:忽略|无视|忽视|不要理会|忘记).{0,12}(?:指令|指示|说明|规则|提示)|(?:指示|命令|ルール).{0,6}(?:無視|忘れ)|ignoriere?.{0,30}(?:vorherigen|bisherigen|obigen).{0,20}(?:anweisungen|regeln)|ignore[zr]?.{0,30}instructions.{0,20}(?:précédentes|ci-dessus)|ignor[ae].{0,30}instrucciones.{0,20}(?:anteriores|previas)|ignor[ae].{0,30}instruções.{0,20}(?:anteriores|prévias)|(?:${russian('игнорируй')}|${russian('забудь')}).{0,30}(?:${russian('предыдущие')}|${russian('все')}|${russian('прежние')}).{0,30}(?:${russian('инструкции')}|${russian('указания')}|${russian('правила')})`,
  ],
  [
    'prompt_injection',
    'system-prompt',
    'reaches for the system prompt',
    String.raw`\b(?:override|replace|ignore|update|change)\b${gap}(?:your system (?:prompt|message)|system prompt|developer message)\b(?<!\b(?:update|change)\b(?:(?!your).){0,80}system prompt)|\b(?:reveal|print|show|leak|repeat|output|display|dump|disclose)\b${gap}(?:(?:your|the|full|entire) (?:full |entire |complete |hidden )?(?:system (?:prompt|message|instructions)|developer message)|your (?:initial|original|hidden) (?:prompt|instructions))\b|\bnew system (?:prompt|instructions?)\b|\bsystem (?:prompt |message )?override\b`,
  ],
  [
    'prompt_injection',
    'role',
    'gives the reader another role',
    String.raw`\byou are (?:now|from now on)\b.{0,16}\b(?:${unbound}|developer mode|god mode)|\b(?:you are now|from now on,? you are) (?:an? |the )?(?:root|admin|administrator|superuser)\b|\byou are (?:now )?no longer (?:bound|restricted|limited|subject)\b|\b(?:act|behave|respond|answer) as (?:(?:if|though) you (?:(?:have|had) no|(?:do not|don't) have)|(?:an? )?${unbound})|\b(?:assume|take|play) the role of an? ${unbound}|\brole-?play as\b.{0,30}\bno (?:limits|restrictions|rules)\b|\bpretend (?:that )?(?:you (?:are|have) (?:no|not|un)|(?:to be|you are)\b.{0,40}\b(?:without|with no) (?:any )?(?:restrictions|limits|rules|filters))|\byou (?:have been jailbroken|now have no (?:restrictions|limits|rules))\b|\b(?:jailbreak|dan|god|unrestricted|unfiltered) mode (?:enabled|activated|on)\b|\b(?:enter|enable|activate) (?:jailbreak|dan|god|unrestricted|unfiltered) mode\b`,
  ],
  [
    'prompt_injection',
    'turn-marker',
    'imitates the markers of a conversation',
    String.raw`<\|(?:im_start|im_end|system|user|assistant|end|endoftext|start_header_id|end_header_id|eot_id|begin_of_text)\|>|\[/?inst\]|<</?sys>>|^\s{0,3}(?:<system>|\[system\])`,
  ],
  [
    'prompt_injection',
    'hide-from-user',
    'tells to keep something from the user',
    String.raw`\b(?:do not|don't|dont|never|without)${gap}?(?:tell|telling|inform|informing|mention|mentioning|notify|notifying|alert|alerting)\b${gap}(?:${person}(?! (?:docs|documentation|guide|interface|table|model|manual)\b)|(?:anyone|anybody) (?:about|of|that|what)\b)|\b(?:do not|don't|dont|never) let ${person} (?:know|notice|find out|realize)\b|\b(?:hide|conceal|keep|withhold) (?:this|it|that|these|them|everything|your \w{1,20}|what you \w{1,20})\b(?: \w{1,20}){0,3} from ${person}|\bwithout ${person}(?:'s)? (?:knowing|noticing|knowledge)\b|\b(?:do not|don't|dont|never) (?:reveal|disclose) (?:this|it|that|these|them)\b${gap}${person}`,
  ],
  [
    'prompt_injection',
    'decode-and-run',
    'tells to run what a text hides',
    String.raw`\b(?:translate|decode|decrypt|deobfuscate)\b${gap}(?:(?:and|then)\b${gap})?(?:execute|run|eval|follow|obey)(?:[.!]|\s{0,3}$|\s(?:it|this|that|them|what|the (?:result|output|decoded|translated|command|code|payload|script|instructions))\b)`,
  ],
  [
    'prompt_injection',
    'disarm',
    'turns protection off',
    String.raw`\bunset\s{1,4}(?:caisson|hermes)_\w{1,40}|\b(?:caisson|hermes)_yolo_mode\s{0,2}=\s{0,2}1|>>?\s{0,4}\S{0,60}\.ssh/authorized_keys`,
  ],
  [
    'prompt_injection',
    'remote-control',
    'hands control to somebody else',
    String.raw`/dev/(?:tcp|udp)/\S|\bbash -i\s{0,3}>&|\bnc(?:at)?\b[^\n]{0,40}\s-e\s|\b(?:start|open|spawn|launch|establish|run|install|deploy|use|connect|register|beacon|download)\b${gap}(?:reverse shell|cobalt strike|meterpreter|mimikatz|brute ratel|sliver implant|c2 (?:server|channel|beacon|framework)|command[- ]and[- ]control (?:server|channel))|^\W{0,4}reverse shell to\b|\b(?:poll|fetch|get|ask)\b[^\n]{0,60}https?://[^\n]{0,80}\b(?:execute|run|follow|obey) (?:it|them|those|these|whatever)\b`,
  ],
  [
    'prompt_injection',
    'cover-tracks',
    'hides what was done',
    String.raw`\bhistory -c\b|\bunset histfile\b|\bhistfile=/dev/null\b|\bhist(?:file)?size=0\b|\brm\b[^\n]{0,30}\.(?:bash|zsh)_history\b|\b(?:clear|delete|erase|wipe|remove)\b${gap}(?:bash|shell|command|zsh) history\b|\b(?:cover|erase|hide|remove) (?:your|our|all|any) (?:tracks|traces)\b|\b(?:shred|truncate|rm)\b[^\n]{0,40}/var/log/(?:auth|secure|audit|wtmp)|\b(?:delete|clear|truncate|wipe|erase) (?:all |the )?audit (?:logs?|trail)\b`,
  ],
  [
    'hidden_html',
    'comment',
    'gives orders in a hidden comment',
    String.raw`<!--(?:(?!-->)[^]){0,1000}?\b(?:(?:ignore|disregard|override)\s{1,3}(?:all|any|the|your|previous|prior|safety|security|system)|override\s{0,3}(?:-->|:)|(?:system|secret|hidden|inject|injection|instructions?|assistant|agent)\s{0,3}:|hidden (?:instructions?|commands?|messages?|prompts?)|secret instructions?|you must|do not tell|don't tell|system prompt|secretly|exfiltrat\w{1,6}|execute|curl\s|wget\s|api key)`,
  ],
  [
    'hidden_html',
    'element',
    'hides text from people',
    String.raw`<[a-z][\w-]{0,15}\b[^>]{0,300}?(?:left\s{0,3}:\s{0,3}-\d{3}|text-indent\s{0,3}:\s{0,3}-\d{3}|display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}0|opacity\s{0,3}:\s{0,3}0(?![.\d])|\shidden[\s>=])`,
  ],
  [
    'secret_read',
    'secret-file',
    'reads a file that holds secrets',
    String.raw`\b(?:cat|less|more|head|tail|type|read|open|print|dump|show|source|base64|xxd|strings|grep|awk|get-content)\b[^\n|;]{0,60}?${secretFile}`,
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
    String.raw`${sender}[^\n]{0,200}?(?:@|<\s?|\$\(\s?cat |-t )[^\n]{0,60}?${secretFile}|${sender}[^\n]{0,200}?\$\(\s?(?:env|printenv)\b|\b(?:env|printenv|cat[^\n|]{0,80}${secretFile})[^\n]{0,80}\|[^\n]{0,40}${sender}|\bscp\b[^\n]{0,80}?${secretFile}`,
  ],
  [
    'exfiltration',
    'send',
    'tells to send secrets away',
    String.raw`\b(?:send|post|upload|forward|transmit|exfiltrate)\b${gap}(?:(?:api keys?|credentials|secrets|passwords|(?:api|auth|access|session|bearer) tokens?|environment variables|\.env)\b[^\n]{0,80}(?:https?://|\bto\b)|tokens\b[^\n]{0,80}https?://)`,
  ],
];

export const phrases: readonly Phrase[] = table.map(([category, rule, description, source]) => ({
  category,
  rule,
  description,
  pattern: new RegExp(source, 'gmu'),
}));
