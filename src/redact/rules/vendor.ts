/** Tokens that their issuers made easy to recognise. Prefixes as the vendors document them. */
import { alphanumeric, bearer, byteClass, dotted, latin1, word } from '../bytes.ts';
import { boundedRun, eatClass, goesOn, type Rule } from './rule.ts';
import { moreVendors } from './vendor-more.ts';
import type { Vendor } from './vendor-shape.ts';

const upperOrDigit = byteClass('', [
  ['A', 'Z'],
  ['0', '9'],
]);

const address = byteClass('_-.~+/=@', [
  ['a', 'z'],
  ['A', 'Z'],
  ['0', '9'],
]);

const vendors: readonly Vendor[] = [
  { kind: 'github-token', prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], rest: word, min: 20 },
  { kind: 'github-token', prefixes: ['github_pat_'], rest: word, min: 22 },
  {
    kind: 'gitlab-token',
    prefixes: [
      ...['glpat-', 'gldt-', 'glrt-', 'glrtr-', 'glptt-', 'gloas-', 'glcbt-', 'glsoat-', 'glft-', 'glagent-', 'glimt-'],
      ...['glffct-', 'glwt-', 'GR1348941'],
    ],
    rest: dotted,
    min: 16,
  },
  { kind: 'openai-key', prefixes: ['sk-proj-', 'sk-svcacct-', 'sk-admin-'], rest: word, min: 20 },
  {
    kind: 'openai-key',
    prefixes: ['sk-'],
    rest: word,
    min: 16,
    unlikeWords: true,
    kinds: { 'ant-': 'anthropic-key', 'or-': 'openrouter-key' },
  },
  {
    kind: 'stripe-key',
    prefixes: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'],
    rest: alphanumeric,
    min: 16,
  },
  {
    kind: 'slack-token',
    prefixes: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.', 'xapp-'],
    rest: bearer,
    min: 10,
  },
  {
    kind: 'slack-webhook',
    prefixes: ['hooks.slack.com/services/', 'hooks.slack.com/workflows/', 'hooks.slack.com/triggers/'],
    rest: bearer,
    min: 20,
  },
  { kind: 'discord-webhook', prefixes: ['webhooks/'], rest: bearer, min: 40, shape: /^\d{15,20}\/[\w-]{30}/ },
  { kind: 'teams-webhook', prefixes: ['webhook.office.com/webhookb2/'], rest: address, min: 40 },
  { kind: 'google-key', prefixes: ['AIza'], rest: word, min: 35 },
  { kind: 'google-token', prefixes: ['ya29.'], rest: dotted, min: 20 },
  { kind: 'google-secret', prefixes: ['GOCSPX-'], rest: word, min: 20 },
  { kind: 'aws-key-id', prefixes: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], rest: upperOrDigit, min: 16 },
  { kind: 'alibaba-key-id', prefixes: ['LTAI'], rest: alphanumeric, min: 16, unlikeWords: true },
  { kind: 'xai-key', prefixes: ['xai-'], rest: alphanumeric, min: 30 },
  { kind: 'groq-key', prefixes: ['gsk_'], rest: alphanumeric, min: 20, unlikeWords: true },
  { kind: 'perplexity-key', prefixes: ['pplx-'], rest: alphanumeric, min: 20, unlikeWords: true },
  { kind: 'replicate-token', prefixes: ['r8_'], rest: alphanumeric, min: 20, unlikeWords: true },
  { kind: 'huggingface-token', prefixes: ['hf_', 'api_org_'], rest: alphanumeric, min: 20, unlikeWords: true },
  { kind: 'cerebras-key', prefixes: ['csk-'], rest: alphanumeric, min: 20, unlikeWords: true },
  { kind: 'fireworks-key', prefixes: ['fw_', 'fw-', 'fpk_'], rest: alphanumeric, min: 20, unlikeWords: true },
  { kind: 'together-key', prefixes: ['tgp_v1_'], rest: word, min: 20 },
  { kind: 'nvidia-key', prefixes: ['nvapi-'], rest: word, min: 30 },
  { kind: 'tavily-key', prefixes: ['tvly-'], rest: word, min: 16, unlikeWords: true },
  { kind: 'firecrawl-key', prefixes: ['fc-'], rest: alphanumeric, min: 16, unlikeWords: true },
  { kind: 'digitalocean-token', prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'], rest: alphanumeric, min: 32 },
  { kind: 'pypi-token', prefixes: ['pypi-'], rest: word, min: 40 },
  { kind: 'npm-token', prefixes: ['npm_'], rest: alphanumeric, min: 20, unlikeWords: true },
  { kind: 'rubygems-key', prefixes: ['rubygems_'], rest: alphanumeric, min: 32 },
  { kind: 'sendgrid-key', prefixes: ['SG.'], rest: dotted, min: 20 },
  { kind: 'mailgun-key', prefixes: ['key-'], rest: alphanumeric, min: 32, unlikeWords: true },
  { kind: 'docker-token', prefixes: ['dckr_pat_', 'dckr_oat_'], rest: word, min: 20 },
  { kind: 'linear-key', prefixes: ['lin_api_', 'lin_oauth_'], rest: alphanumeric, min: 30 },
  { kind: 'notion-token', prefixes: ['ntn_', 'secret_'], rest: alphanumeric, min: 36 },
  { kind: 'figma-token', prefixes: ['figd_', 'figo_'], rest: word, min: 30 },
  { kind: 'fly-token', prefixes: ['FlyV1 ', 'fo1_', 'fm2_'], rest: bearer, min: 30 },
  { kind: 'shopify-token', prefixes: ['shpat_', 'shpss_', 'shpca_', 'shppa_'], rest: alphanumeric, min: 32 },
  { kind: 'square-token', prefixes: ['sq0atp-', 'sq0csp-', 'sq0idp-'], rest: word, min: 20 },
  { kind: 'grafana-token', prefixes: ['glsa_', 'glc_'], rest: bearer, min: 30 },
  { kind: 'vault-token', prefixes: ['hvs.', 'hvb.', 'hvr.'], rest: word, min: 20 },
  { kind: 'doppler-token', prefixes: ['dp.pt.', 'dp.st.', 'dp.sa.', 'dp.ct.'], rest: dotted, min: 30 },
  { kind: 'pulumi-token', prefixes: ['pul-'], rest: alphanumeric, min: 40 },
  { kind: 'sentry-token', prefixes: ['sntrys_', 'sntryu_'], rest: bearer, min: 30 },
  { kind: 'supabase-key', prefixes: ['sbp_', 'sb_secret_'], rest: word, min: 20, unlikeWords: true },
  { kind: 'databricks-token', prefixes: ['dapi'], rest: alphanumeric, min: 32, unlikeWords: true },
  { kind: 'postman-key', prefixes: ['PMAK-'], rest: word, min: 30 },
  { kind: 'atlassian-token', prefixes: ['ATATT3', 'ATCTT3', 'ATBB'], rest: bearer, min: 24 },
  { kind: 'posthog-key', prefixes: ['phx_', 'phs_'], rest: alphanumeric, min: 30 },
  { kind: 'age-key', prefixes: ['AGE-SECRET-KEY-1'], rest: upperOrDigit, min: 50 },
  { kind: 'elevenlabs-key', prefixes: ['sk_'], rest: alphanumeric, min: 16, unlikeWords: true },
  { kind: 'langfuse-key', prefixes: ['pk-lf-'], rest: word, min: 16 },
  { kind: 'fal-key', prefixes: ['fal_'], rest: word, min: 16, unlikeWords: true },
  { kind: 'exa-key', prefixes: ['exa_'], rest: alphanumeric, min: 16, unlikeWords: true },
  { kind: 'browserbase-key', prefixes: ['bb_live_', 'bb_test_'], rest: word, min: 16 },
  { kind: 'agentmail-key', prefixes: ['am_', 'am_org_'], rest: alphanumeric, min: 20, unlikeWords: true },
  {
    kind: 'memory-key',
    prefixes: ['retaindb_', 'hsk-', 'mem0_', 'm0-', 'brv_'],
    rest: alphanumeric,
    min: 16,
    unlikeWords: true,
  },
  { kind: 'matrix-token', prefixes: ['syt_'], rest: word, min: 16, unlikeWords: true },
  { kind: 'encrypted-token', prefixes: ['gAAAA'], rest: bearer, min: 60 },
  { kind: 'modal-token', prefixes: ['ak-', 'as-'], rest: alphanumeric, min: 22, unlikeWords: true },
  { kind: 'daytona-key', prefixes: ['dtn_'], rest: alphanumeric, min: 32 },
  { kind: 'e2b-key', prefixes: ['e2b_'], rest: alphanumeric, min: 32 },
  { kind: 'jina-key', prefixes: ['jina_'], rest: word, min: 32 },
  { kind: 'langsmith-key', prefixes: ['lsv2_pt_', 'lsv2_sk_'], rest: word, min: 32 },
  { kind: 'runpod-key', prefixes: ['rpa_'], rest: alphanumeric, min: 32, unlikeWords: true },
  { kind: 'tailscale-key', prefixes: ['tskey-'], rest: word, min: 20, unlikeWords: true },
  { kind: 'brevo-key', prefixes: ['xkeysib-'], rest: word, min: 40 },
  { kind: 'planetscale-token', prefixes: ['pscale_tkn_', 'pscale_pw_'], rest: word, min: 20 },
  { kind: 'newrelic-key', prefixes: ['NRAK-'], rest: alphanumeric, min: 24 },
  { kind: 'netlify-token', prefixes: ['nfp_'], rest: alphanumeric, min: 32 },
  { kind: 'bedrock-key', prefixes: ['ABSK', 'bedrock-api-key-'], rest: bearer, min: 60 },
  // `-----BEGIN ... PRIVATE KEY-----` in base64.
  {
    kind: 'private-key',
    prefixes: ['LS0tLS1CRUdJTiBSU0EgUFJJVkFU', 'LS0tLS1CRUdJTiBQUklWQVRF', 'LS0tLS1CRUdJTiBFQyBQUklWQVRF'].concat([
      'LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUg',
      'LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURSBL',
    ]),
    rest: bearer,
    min: 20,
  },
  { kind: '1password-token', prefixes: ['ops_eyJ'], rest: word, min: 40 },
];

type Triggers = readonly (readonly [string, Rule])[];

const buildTriggers = (list: readonly Vendor[]): Triggers =>
  list.flatMap((vendor) => vendor.prefixes.map((prefix) => [prefix, buildRule(vendor)] as const));

const all = [...vendors, ...moreVendors];

/** They are replaced with what they begin. */
export const vendorTriggers = buildTriggers(all.filter(({ within }) => within !== true));
/** Only what stands behind them is replaced. */
export const vendorTriggersWithin = buildTriggers(all.filter(({ within }) => within === true));

function buildRule({ kind, rest, min, unlikeWords = false, within = false, kinds = {}, shape }: Vendor): Rule {
  const eat = eatClass(rest);
  return (text, at, end) => {
    if (!within && goesOn(text, at, unlikeWords ? word : alphanumeric)) return null;
    const run = boundedRun(text, end, rest);
    if (run.open) return { openFrom: within ? end : at };
    if (run.end - end < min) return null;
    const token = latin1(text.buffer, end, run.end);
    if (unlikeWords && !/[0-9A-Z]/.test(token)) return null;
    if (shape !== undefined && !shape.test(token)) return null;
    const exact = Object.keys(kinds).find((start) => token.startsWith(start));
    return { kind: exact === undefined ? kind : (kinds[exact] ?? kind), from: within ? end : at, eatFrom: end, eat };
  };
}
