/**
 * What a sandbox asks its door for, with the answer and the record that belong to it: what is refused, each beside a harmless
 * twin that passes.
 */
import { extension, helloBytes, records, serverName } from '../egress/door/hello.ts';
import type { Zone } from '../network/dial/name-server.ts';
import { address, helloFor, listedPort, otherAddress } from './egress-world.ts';

export interface Case {
  readonly about: string;
  /** Each is sent when the one before was answered. */
  readonly parts: readonly (string | Buffer)[];
  /** The status of each answer, and what came behind. `null`: whatever arrives of an answer to a client that still sends. */
  readonly answer: string | null;
  /** Name and port, verdict, and rule of each record. */
  readonly recorded: readonly Recorded[];
}

export type Recorded = readonly [place: string | null, verdict: 'allow' | 'deny', rule: string];

const good = 'from the origin';
const last = 'Connection: close\r\n\r\n';

const get = (place: string, host = place, end = last): string =>
  `GET http://${place}/ HTTP/1.1\r\nHost: ${host}\r\n${end}`;
const connectTo = (authority: string): string => `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;
const withPort = (host: string): string => (/:\d+$/.test(host) ? host : `${host}:80`);

export const passes = (place: string, rule: string, name = withPort(place)): Case => ({
  about: place,
  parts: [get(place)],
  answer: `200 ${good}`,
  recorded: [[name, 'allow', rule]],
});
export const refused = (place: string, rule: string, name = withPort(place)): Case => ({
  about: place,
  parts: [get(place)],
  answer: '403',
  recorded: [[name, 'deny', rule]],
});
const malformed = (about: string, text: string, answer: string | null = '400'): Case => ({
  about,
  parts: [text],
  answer,
  recorded: [[null, 'deny', 'request']],
});

/** NE-05: one or two of each row of the table. */
const notPublic = [
  ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.65.7', '127.0.0.1'],
  ...['127.255.255.254', '169.254.0.1', '100.64.0.1', '100.127.255.255', '0.0.0.0', '0.1.2.3', '192.0.0.8'],
  ...['198.18.0.1', '198.19.255.255', '192.0.2.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.250'],
  ...['240.0.0.1', '255.255.255.255', '::1', '::', 'fc00::1', 'fd12::1', 'fe80::1', 'fec0::1', 'ff02::1'],
  ...['64:ff9b::a00:1', '64:ff9b:1::1', '2002:a00:1::1', '2001::1', '100::1', '2001:db8::1', '3fff::1', '5f00::1'],
  // NE-06.
  ...['169.254.169.254', 'fd00:ec2::254', '168.63.129.16', '169.254.170.2', '100.100.100.200'],
];
const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);
const nameOf = (host: string): string => `h${notPublic.indexOf(host)}.private.example`;

const specialNames = [
  ...['metadata.google.internal', 'metadata', 'instance-data', 'host.docker.internal', 'gateway.docker.internal'],
  ...['host.containers.internal', 'localhost', 'a.localhost', 'ip6-localhost'],
];

/** Keys of the section `network`. Hosts that are refused in spite of them are listed too. */
export const network: readonly string[] = [
  `allow_private: ["${address}:80", "${address}:443", "${address}:${listedPort}"]`,
  `allow: ${JSON.stringify([
    ...['ok.example', 'other.example', '*.sub.example', `listed.example:${listedPort}`, '*.private.example'],
    ...['flip.example', 'mixed.example', 'six.example', 'mapped.example', 'many.example', 'most.example'],
    ...[
      'nowhere.example',
      address,
      `${address}:2375`,
      '::ffff:127.0.0.1',
      ...specialNames,
      ...notPublic.map(bracketed),
    ],
  ])}`,
  'deny: ["bad.sub.example"]',
];

const hundreds = Array.from({ length: 199 }, () => address);
const answers: Readonly<Record<string, readonly string[] | null>> = {
  'mixed.example': [address, '127.0.0.1'],
  'six.example': [address, 'fd00:ec2::254'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'many.example': [...hundreds, address],
  'most.example': [...hundreds, '169.254.169.254'],
  'nowhere.example': null,
};

/** All names lead to the origin, but for the hostile ones. */
export const zone: Zone = (name, count) => {
  const at = /^h(\d+)\.private\.example$/.exec(name)?.[1];
  if (at !== undefined) return [notPublic[Number(at)] ?? address];
  if (name === 'flip.example') return [count % 2 === 0 ? address : '169.254.169.254'];
  return answers[name] === undefined ? [address] : answers[name];
};

/** Paths of the origin at `ok.example`, and what is on record behind the redirect. `null`: no client goes there by HTTP. */
export const redirects: Readonly<Record<string, { readonly to: string; readonly recorded: Recorded | null }>> = {
  '/twin': { to: 'http://other.example/', recorded: ['other.example:80', 'allow', 'allow other.example'] },
  '/metadata': { to: 'http://169.254.169.254/latest/', recorded: ['169.254.169.254:80', 'deny', 'address'] },
  '/private': { to: 'http://192.168.0.1/', recorded: ['192.168.0.1:80', 'deny', 'address'] },
  '/name': { to: 'http://metadata.google.internal/', recorded: ['metadata.google.internal:80', 'deny', 'address'] },
  '/stray': { to: `http://${otherAddress}/`, recorded: [`${otherAddress}:80`, 'deny', 'no rule'] },
  '/evil': { to: 'http://secret.evil.example/', recorded: ['secret.evil.example:80', 'deny', 'no rule'] },
  '/hostile': { to: 'http://mixed.example/', recorded: ['mixed.example:80', 'deny', 'address'] },
  '/file': { to: 'file:///etc/passwd', recorded: null },
  '/ftp': { to: 'ftp://other.example/', recorded: null },
};

export const addressCases: readonly Case[] = [
  passes(address, `allow ${address}`),
  ...notPublic.flatMap((each) => [
    refused(bracketed(each), 'address', each.includes(':') ? `${each}:80` : `${each}:80`),
    refused(nameOf(each), 'address'),
  ]),
];

export const nameCases: readonly Case[] = [
  ...specialNames.map((name) => refused(name, 'address')),
  refused('METADATA.google.internal.', 'address', 'metadata.google.internal:80'),
  refused(`${address}:2375`, 'address'),
  passes('OK.example.', 'allow ok.example', 'ok.example:80'),
  // Spellings of 127.0.0.1 and, beside them, of the origin.
  ...['0x7f.1', '0177.0.0.1', '2130706433', '127.1', '017700000001', '127.0.0.1.'].map((each) =>
    refused(each, 'address', '127.0.0.1:80'),
  ),
  refused('[::ffff:7f00:1]', 'address', '127.0.0.1:80'),
  ...['0x0ae75101', '10.15159553', '012.231.81.1'].map((each) => passes(each, `allow ${address}`, `${address}:80`)),
  ...[
    '①②⑦.0.0.1',
    '%31%32%37.0.0.1',
    'user@ok.example',
    'ok.example\\@127.0.0.1',
    '[fe80::1%25lo]',
    'bücher.example',
  ].map((each) => malformed(each, get(each, 'ok.example'))),
  refused('xn--bcher-kva.example', 'no rule'),
];

export const patternCases: readonly Case[] = [
  ...['evilok.example', 'ok.example.evil', 'a.ok.example', 'sub.example', 'evilsub.example', 'secret.evil.example'].map(
    (name) => refused(name, 'no rule'),
  ),
  ...['a.sub.example', 'a.b.sub.example', 'A.SUB.EXAMPLE.'].map((name) =>
    passes(name, 'allow *.sub.example', `${name.toLowerCase().replace(/\.$/, '')}:80`),
  ),
  ...['bad.sub.example', 'x.bad.sub.example'].map((name) => refused(name, 'deny bad.sub.example')),
  ...[22, 25, 53, 853, 2375, 8080].map((port) => refused(`ok.example:${port}`, 'ports')),
  refused('listed.example', 'ports'),
  {
    about: 'the port that is listed',
    parts: [connectTo(`listed.example:${listedPort}`), 'any bytes'],
    answer: '200 from the listed port',
    recorded: [[`listed.example:${listedPort}`, 'allow', `allow listed.example:${listedPort}`]],
  },
  refused(otherAddress, 'no rule'),
];

/** The first one and its twin are the same request. */
export const resolverCases: readonly Case[] = [
  passes('flip.example', 'allow flip.example'),
  refused('flip.example', 'address'),
  passes('many.example', 'allow many.example'),
  ...['most.example', 'mixed.example', 'six.example', 'mapped.example'].map((name) => refused(name, 'address')),
  { ...refused('nowhere.example', 'lookup'), answer: '502' },
];

const tunnelled = (about: string, bytes: string | Buffer, rest: Pick<Case, 'answer'> & { rule: string }): Case => ({
  about,
  parts: [connectTo('ok.example:443'), bytes],
  answer: rest.answer,
  recorded: [['ok.example:443', rest.rule.startsWith('allow') ? 'allow' : 'deny', rest.rule]],
});
const cut = { answer: '200', rule: 'server-name' };

export async function tlsCases(): Promise<readonly Case[]> {
  const named = await helloFor('ok.example');
  return [
    tunnelled('its own name', named, { answer: '200 tls', rule: 'allow ok.example' }),
    tunnelled('another allowed name', await helloFor('other.example'), cut),
    tunnelled('no name', await helloFor(''), cut),
    tunnelled('two names', records(helloBytes([serverName('ok.example', 'other.example')]), 1), cut),
    tunnelled(
      'an encrypted name',
      records(helloBytes([serverName('ok.example'), extension(0xfe0d, Buffer.alloc(64))]), 1),
      cut,
    ),
    tunnelled('no TLS', 'GET / HTTP/1.1\r\nHost: ok.example\r\n\r\n', cut),
    // A client that has looked the name up by itself asks for an address (NE-10).
    {
      about: 'the address of another host',
      parts: [connectTo(`${otherAddress}:443`), named],
      answer: '403',
      recorded: [[`${otherAddress}:443`, 'deny', 'no rule']],
    },
    {
      about: 'a second request for another host on one connection',
      parts: [get('ok.example', 'ok.example', '\r\n'), get('secret.evil.example')],
      answer: `200 403 ${good}`,
      recorded: [
        ['ok.example:80', 'allow', 'allow ok.example'],
        ['secret.evil.example:80', 'deny', 'no rule'],
      ],
    },
    malformed('another host in the header', get('ok.example', 'secret.evil.example')),
    malformed('an origin form', 'GET / HTTP/1.1\r\nHost: ok.example\r\n\r\n'),
  ];
}

const post = 'POST http://ok.example/ HTTP/1.1\r\nHost: ok.example\r\n';
const hidden = get('secret.evil.example');

export const smuggled: readonly Case[] = [
  {
    about: 'what looks like a request in a body',
    parts: [`${post}Content-Length: ${hidden.length}\r\n${last}${hidden}`],
    answer: `200 ${good}`,
    recorded: [['ok.example:80', 'allow', 'allow ok.example']],
  },
  malformed('two lengths', `${post}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`),
  malformed('both lengths', `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`),
  {
    // What follows is read as another request, which is malformed too.
    ...malformed('a coding written otherwise', `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, '400 400'),
    recorded: [
      [null, 'deny', 'request'],
      [null, 'deny', 'request'],
    ],
  },
  malformed('a folded header', `${post}X-A: b\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
  malformed('a bare carriage return', `${post}X-A: b\rTransfer-Encoding: chunked\r\n\r\n`),
  malformed('a bare line feed', `${post}X-A: b\nTransfer-Encoding: chunked\r\n\r\n`),
  malformed('two hosts', `${post}Host: secret.evil.example\r\n\r\n`),
  malformed('a line break in CONNECT', 'CONNECT ok.example:443\r\nHost: secret.evil.example:443 HTTP/1.1\r\n\r\n'),
  malformed('a port out of range', connectTo('ok.example:99999')),
  malformed('no port', connectTo('ok.example')),
  malformed('a body of CONNECT', 'CONNECT ok.example:443 HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello'),
  malformed('HTTP/2 without TLS', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  ...[
    ['another host', get('ok.example', 'other.example').replace('http://ok.example', '')],
    ['another tunnel', connectTo('other.example:443')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ].map(([about = '', inside = '']) => ({
    ...malformed(`${about} in a tunnel to port 80`, connectTo('ok.example:80'), '200 400'),
    parts: [connectTo('ok.example:80'), inside],
  })),
  malformed('SSH', 'SSH-2.0-OpenSSH_9.2\r\n'),
  malformed('a head of a megabyte', `${post}X-A: {fill}\r\n\r\n`, null),
  malformed('a head that does not end', 'GET http://ok.example/ HTTP/1.1\r\nHost: ok', '408'),
];
