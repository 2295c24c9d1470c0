/** Five hundred texts that would be markup, code, or a command of a terminal, if a page took them as anything but text. */
const payloads: readonly string[] = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '<svg/onload=alert(1)>',
  '<svg><animate onbegin=alert(1) attributeName=x>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<a href=javascript:alert(1)>x</a>',
  '<b onmouseover=alert(1)>bold</b>',
  '<style>*{display:none}</style>',
  '<form action=//elsewhere.example><input name=token></form>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<object data=data:text/html,x></object>',
  '<embed src=//elsewhere.example>',
  '<base href=//elsewhere.example>',
  '<meta http-equiv=refresh content=0>',
  '<link rel=stylesheet href=//elsewhere.example>',
  '<template><script>alert(1)</script></template>',
  '<video><source onerror=alert(1)></video>',
  '<details open ontoggle=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '{{constructor.constructor("alert(1)")()}}',
  '${alert(1)}',
  '__proto__',
  '&lt;img src=x onerror=alert(1)&gt;',
];

const contexts: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `">${text}`,
  (text) => `'>${text}`,
  (text) => `\`${text}\``,
  (text) => `--></style></script>${text}`,
  (text) => `]]>${text}<![CDATA[`,
  (text) => `</textarea></title>${text}`,
  (text) => `\u202e${text}`,
  (text) => `\u2066${text}\u2069`,
  (text) => `\u200b${text}\ufeff`,
  (text) => `\u001b]0;title\u0007${text}`,
  (text) => `\u001b]52;c;YQ==\u0007${text}`,
  (text) => `\u001b]8;;https://elsewhere.example\u0007${text}\u001b]8;;\u0007`,
  (text) => `\u001b[2J\u001b[31m${text}`,
  (text) => `\u0000\u0008${text}`,
  (text) => `\r\n${text}\r\n`,
  (text) => `\u2028${text}\u2029`,
  (text) => `\ud800${text}`,
  (text) => `${encodeURIComponent(text)} ${text}`,
  (text) => `\u115f${text}\u3164`,
];

/** Each with its number, so that it is found again. */
export const hostileTexts: readonly string[] = contexts
  .flatMap((context) => payloads.map((payload) => context(payload)))
  .map((text, at) => `${text} #${at}`);
