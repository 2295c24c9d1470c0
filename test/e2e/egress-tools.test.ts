/** Programs that fetch from networks, as people use them, in a sandbox whose network is filtered. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { dockerHost } from '../engines/docker.ts';
import { importToolsImage, toolsImage } from '../engines/tools-image.ts';
import { cli, type Home, makeHome } from './home.ts';
import { type Hosts, serveHosts } from './tool-hosts.ts';
import { debianSite, gitSite, npmSite, pythonSites } from './tool-packages.ts';

const engine = dockerHost();
/** A private address that this host has for the time of the test; no host is to be in its network. */
const address = '10.231.83.1';
const image = { CAISSON_TERMINAL_DOCKER_IMAGE: toolsImage.reference };

/** Name of a host that a tool has built in: the presets must know it. */
const named = (...labels: readonly string[]): string => labels.join('.');
const npmHost = named('registry', 'npmjs', 'org');
const [indexHost, wheelHost] = [named('pypi', 'org'), named('files', 'pythonhosted', 'org')];
const gitHost = 'github.com';
const [debianHost, securityHost] = [named('deb', 'debian', 'org'), named('security', 'debian', 'org')];
/** Hosts outside of all presets, one for each tool, so that a host which one tool was allowed is not yet there for the next. */
const ownHosts = ['plain', 'secure', 'upload', 'node', 'python'].map((name) => `${name}.tiny.example`);
const [plainHost = '', secureHost = '', uploadHost = '', nodeHost = '', pythonHost = ''] = ownHosts;

interface Connection {
  readonly name: string;
  readonly verdict: string;
  readonly rule: string;
}

interface Tool {
  readonly name: string;
  readonly command: string;
  readonly preset?: string;
  /** That it asks for at first. */
  readonly hosts: readonly string[];
}

/** Root without capabilities cannot become the user that apt downloads as. */
const apt =
  '-o APT::Sandbox::User=root -o Acquire::Retries=0 -o Dir::Etc::SourceList=/tmp/sources -o Dir::Etc::SourceParts=- -o Acquire::https::CaInfo=/tmp/ca.pem';
const sources = `deb [trusted=yes] http://${debianHost}/tiny ./\\ndeb [trusted=yes] https://${securityHost}/tiny ./\\n`;
const tools: readonly Tool[] = [
  {
    name: 'npm install',
    command: 'npm install --prefix /tmp/npm tiny && node /tmp/npm/node_modules/tiny',
    preset: 'npm',
    hosts: [npmHost],
  },
  {
    name: 'pip install',
    command: 'pip install --retries 0 --target /tmp/pip tiny && PYTHONPATH=/tmp/pip python3 -m tiny',
    preset: 'python',
    hosts: [indexHost],
  },
  {
    name: 'git clone',
    command: `git clone https://${gitHost}/test/tiny.git /tmp/git && cat /tmp/git/tiny.txt`,
    preset: 'github',
    hosts: [gitHost],
  },
  {
    name: 'apt-get update and download',
    command:
      `printf '${sources}' >/tmp/sources && cd /tmp && apt-get ${apt} -o APT::Update::Error-Mode=any update && ` +
      `apt-get ${apt} download tiny && dpkg-deb -x tiny_1.0_all.deb apt && cat apt/usr/share/tiny`,
    preset: 'debian',
    hosts: [debianHost, securityHost],
  },
  { name: 'curl over http', command: `curl -fsS http://${plainHost}/`, hosts: [plainHost] },
  { name: 'curl over https', command: `curl -fsS https://${secureHost}/`, hosts: [secureHost] },
  {
    // It asks for leave first (100-continue), as for all that is large.
    name: 'curl, sending a large file over http',
    command: `head -c 3000000 /dev/urandom >/tmp/large && curl -fsS -T /tmp/large http://${uploadHost}/ | cmp - /tmp/large && echo tiny`,
    hosts: [uploadHost],
  },
  {
    name: 'fetch of Node',
    command: `node -e "fetch('https://${nodeHost}/').then(async (answer) => console.log(await answer.text()))"`,
    hosts: [nodeHost],
  },
  {
    name: 'urllib of Python',
    command: `python3 -c "from urllib.request import urlopen; print(urlopen('https://${pythonHost}/').read().decode())"`,
    hosts: [pythonHost],
  },
];

const certificates = ['NODE_EXTRA_CA_CERTS', 'PIP_CERT', 'GIT_SSL_CAINFO', 'CURL_CA_BUNDLE', 'SSL_CERT_FILE'];

/** Runs Caisson, and the proxy that it starts, where the names of `table` are known. */
async function cliWithHosts(home: Home, table: string, args: readonly string[]): Promise<void> {
  const file = join(home.path, 'hosts');
  writeFileSync(file, table);
  const inside = 'mount --bind "$1" /etc/hosts && shift && exec "$@"';
  const command = ['-m', 'sh', '-c', inside, 'sh', file, process.execPath, cli, ...args];
  await promisify(execFile)('unshare', command, { env: { ...home.env, ...image }, cwd: home.path });
}

function sitesOf() {
  const python = pythonSites(`https://${wheelHost}`);
  const debian = debianSite();
  return {
    [npmHost]: npmSite(`https://${npmHost}`),
    [indexHost]: python.index,
    [wheelHost]: python.files,
    [gitHost]: gitSite('/test/tiny.git'),
    [debianHost]: debian,
    [securityHost]: debian,
    ...Object.fromEntries(ownHosts.map((host) => [host, { '/': 'tiny\n' }])),
  };
}

describe.skipIf(engine === null)('in a sandbox with a filtered network', () => {
  const held = new AsyncDisposableStack();
  let hosts: Hosts;
  let home: Home;
  let caisson: Caisson;

  const configure = (used: readonly string[]): void => {
    const lines = [`allow_private: ["${address}:80", "${address}:443"]`, `presets: [${used.join(', ')}]`];
    const text = `network:\n${lines.map((line) => `  ${line}\n`).join('')}`;
    writeFileSync(join(home.path, 'config.yaml'), text, { mode: 0o600 });
  };
  const run = async (text: string) => {
    const trusting = certificates.map((name) => `export ${name}=/tmp/ca.pem; `).join('');
    const { exit, stdout, stderr } = await caisson.run({ taskId: 'tools', command: ['sh', '-c', trusting + text] });
    return { code: exit.exitCode, stdout: stdout.text, stderr: stderr.text, notes: exit.notes };
  };

  beforeAll(async () => {
    if (engine !== null) await importToolsImage(engine);
    hosts = held.use(await serveHosts(address, sitesOf()));
    home = held.use(await makeHome());
    configure([]);
    await cliWithHosts(home, hosts.table, ['create', 'tools', '--network', 'filtered']);
    caisson = await home.open({}, image);
    await run(`printf '%s' '${hosts.ca}' >/tmp/ca.pem`);
  });
  afterAll(() => held.disposeAsync());

  /** Allows the hosts of a tool by its preset, or else by the commands of the notes. */
  const allow = async ({ preset }: Tool, notes: readonly string[]): Promise<void> => {
    configure(preset === undefined ? [] : [preset]);
    await caisson.config.reload();
    if (preset !== undefined) return;
    for (const note of notes) await home.cli(/`caisson (.*)`/.exec(note)?.[1]?.split(' ') ?? []);
  };

  /** Rules that allowed connections to these hosts. A connection is on record when it has ended. */
  const rulesOf = async (wanted: readonly string[]): Promise<ReadonlySet<string>> => {
    const { stdout } = await home.cli(['net', 'log', 'tools', '--json']);
    const all = stdout
      .trim()
      .split('\n')
      .map((line): Connection => JSON.parse(line));
    const allowed = all.filter(({ name, verdict }) => wanted.includes(name) && verdict === 'allow');
    return new Set(allowed.map(({ rule }) => rule));
  };

  test.each(tools)('$name works where its hosts are allowed, and else says what would allow them', async (tool) => {
    const denied = await run(tool.command);
    expect(denied.code).not.toBe(0);
    for (const host of tool.hosts)
      expect(denied.notes).toContainEqual(expect.stringContaining(`\`caisson net allow tools ${host}\` allows it`));
    expect(hosts.asked.filter((url) => tool.hosts.includes(new URL(url).hostname))).toEqual([]);
    await allow(tool, denied.notes);
    const allowed = await run(tool.command);
    expect(allowed).toMatchObject({ code: 0, notes: [] });
    expect(allowed.stdout.trim().split('\n').at(-1)).toBe('tiny');
    const rules = tool.preset === undefined ? tool.hosts.map((host) => `allow ${host}`) : [`preset ${tool.preset}`];
    await vi.waitFor(async () => expect(await rulesOf(tool.hosts)).toEqual(new Set(rules)), 10_000);
  });
});
