/** Tokens of hosting, data and developer services, as these document them. */
import { alphanumeric, bearer, byteClass, dotted, word } from '../bytes.ts';
import type { Vendor } from './vendor-shape.ts';

const uuid = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/;
/** RFC 3986, 2.3. */
const unreserved = byteClass('_-.~', [
  ['a', 'z'],
  ['A', 'Z'],
  ['0', '9'],
]);
const hex40 = /^[0-9a-f]{40}/;

export const moreVendors: readonly Vendor[] = [
  {
    kind: 'vercel-token',
    prefixes: ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'],
    rest: alphanumeric,
    min: 24,
    unlikeWords: true,
  },
  { kind: 'cloudflare-token', prefixes: ['cfut_', 'cfat_', 'cfk_'], rest: word, min: 40 },
  { kind: 'cloudflare-key', prefixes: ['v1.0-'], rest: word, min: 100, shape: /^[0-9a-f]{24}-[0-9a-f]{75}/ },
  { kind: 'heroku-key', prefixes: ['HRKU-'], rest: word, min: 36 },
  { kind: 'neon-key', prefixes: ['napi_'], rest: alphanumeric, min: 30, unlikeWords: true },
  {
    kind: 'resend-key',
    prefixes: ['re_'],
    rest: word,
    min: 28,
    unlikeWords: true,
    shape: /^[A-Za-z0-9]{8}_[A-Za-z0-9]{20}/,
  },
  { kind: 'hubspot-token', prefixes: ['pat-na1-', 'pat-na2-', 'pat-eu1-'], rest: word, min: 36, shape: uuid },
  { kind: 'pinecone-key', prefixes: ['pcsk_'], rest: word, min: 40 },
  { kind: 'google-key', prefixes: ['AQ.'], rest: word, min: 40, unlikeWords: true, shape: /\d/ },
  { kind: 'google-token', prefixes: ['1//0'], rest: word, min: 30, shape: /[A-Z]/ },
  { kind: 'circleci-token', prefixes: ['CCIPAT_', 'CCIPRJ_'], rest: word, min: 40 },
  { kind: 'buildkite-token', prefixes: ['bkua_'], rest: alphanumeric, min: 32 },
  { kind: 'artifactory-key', prefixes: ['AKCp'], rest: alphanumeric, min: 60 },
  { kind: 'artifactory-token', prefixes: ['cmVmdGtu'], rest: alphanumeric, min: 50 },
  { kind: 'square-token', prefixes: ['EAAA'], rest: word, min: 56, unlikeWords: true, shape: /[a-z]/ },
  { kind: 'dynatrace-token', prefixes: ['dt0c01.', 'dt0s01.', 'dt0s16.'], rest: dotted, min: 80 },
  { kind: 'honeycomb-key', prefixes: ['hcaik_', 'hcamk_', 'hcalk_'], rest: alphanumeric, min: 40 },
  { kind: 'contentful-token', prefixes: ['CFPAT-'], rest: word, min: 40 },
  { kind: 'sourcegraph-token', prefixes: ['sgp_'], rest: word, min: 40, shape: /[0-9a-f]{40}/ },
  { kind: 'snyk-token', prefixes: ['snyk_uat.', 'snyk_sat.'], rest: dotted, min: 30 },
  { kind: 'sonar-token', prefixes: ['squ_', 'sqp_', 'sqa_'], rest: alphanumeric, min: 40, shape: hex40 },
  { kind: 'openshift-token', prefixes: ['sha256~'], rest: word, min: 40 },
  { kind: 'wandb-key', prefixes: ['wandb_v1_'], rest: word, min: 40 },
  { kind: 'cursor-key', prefixes: ['crsr_'], rest: alphanumeric, min: 40 },
  { kind: 'cursor-key', prefixes: ['key_'], rest: alphanumeric, min: 64, unlikeWords: true, shape: /^[0-9a-f]{64}$/ },
  {
    kind: 'service-key',
    prefixes: ['sk_prod_', 'tr_prod_', 'tr_dev_', 'tr_stg_', 'polar_oat_', 'polar_pat_'],
    rest: alphanumeric,
    min: 20,
    unlikeWords: true,
  },
  { kind: 'inngest-key', prefixes: ['signkey-prod-', 'signkey-test-', 'signkey-branch-'], rest: alphanumeric, min: 32 },
  { kind: 'paddle-key', prefixes: ['pdl_live_', 'pdl_sdbx_'], rest: word, min: 40 },
  // The prefix stands behind an id, which is public.
  { kind: 'terraform-token', prefixes: ['.atlasv1.'], rest: word, min: 60, within: true },
  {
    kind: 'launchdarkly-key',
    prefixes: ['sdk-', 'api-', 'mob-'],
    rest: word,
    min: 36,
    unlikeWords: true,
    shape: new RegExp(`${uuid.source}$`),
  },
  {
    kind: 'packagist-token',
    prefixes: ['packagist_ort_', 'packagist_uut_', 'packagist_out_'],
    rest: alphanumeric,
    min: 40,
  },
  { kind: 'render-key', prefixes: ['rnd_'], rest: alphanumeric, min: 28, unlikeWords: true },
  { kind: 'typeform-token', prefixes: ['tfp_'], rest: word, min: 40 },
  { kind: 'duffel-token', prefixes: ['duffel_live_', 'duffel_test_'], rest: word, min: 40 },
  { kind: 'baidu-key', prefixes: ['bce-v3/ALTAK-'], rest: bearer, min: 40 },
  { kind: 'tencent-key-id', prefixes: ['AKID'], rest: alphanumeric, min: 32, unlikeWords: true, shape: /\d/ },
  { kind: 'yandex-key', prefixes: ['AQVN'], rest: word, min: 35, unlikeWords: true },
  {
    kind: 'yandex-token',
    prefixes: ['t1.'],
    rest: bearer,
    min: 90,
    unlikeWords: true,
    shape: /^[\w-]{4,160}={0,2}\.[\w-]{86}/,
  },
  { kind: 'nuget-key', prefixes: ['oy2'], rest: alphanumeric, min: 43, unlikeWords: true, shape: /^[a-z0-9]{43}$/ },
  {
    kind: 'plaid-token',
    prefixes: ['access-production-', 'access-sandbox-', 'access-development-'],
    rest: word,
    min: 36,
    shape: uuid,
  },
  // The three characters before it are not the secret alone.
  { kind: 'azure-secret', prefixes: ['8Q~'], rest: unreserved, min: 31, within: true, shape: /[A-Z]/ },
];
