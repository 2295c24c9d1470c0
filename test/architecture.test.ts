import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { arrowsUp, circles, long, roomCircles, tooLong, wrongArrows } from './architecture/arrows.ts';
import { backends } from '../backends/index.ts';
import { doors } from './architecture/doors.ts';
import { backendNamesIn } from './architecture/backend-names.ts';
import { withPicture } from './architecture/picture.ts';
import { faultsOf } from './architecture/sentences.ts';
import { keptPromises } from './architecture/memoized.ts';
import { packedIn } from './architecture/packing.ts';
import { importsOf, readSources, targetOf } from './architecture/imports.ts';

const root = new URL('..', import.meta.url).pathname;
const house = await readSources(root, [
  'src/**/*.{ts,tsx}',
  'backends/**/*.ts',
  'emulators/**/*.ts',
  'images/**/*.ts',
  'dashboard/**/*.{ts,tsx}',
]);
const outbuildings = await readSources(root, ['test/**/*.ts', 'scripts/**/*.ts', 'bench/**/*.ts', 'bin/**/*.js']);

describe('the house', () => {
  it('has no wrong arrow', () => expect(wrongArrows(house)).toEqual([]));
  it('has no door that other rooms do not use', () => {
    const used = new Set(
      [...house].flatMap(([path, text]) =>
        importsOf(path, text).flatMap((each) => {
          const target = targetOf(path, each);
          const [, room = ''] = /^src\/([^/]+)\//.exec(target ?? '') ?? [];
          return target === null || path.startsWith(`src/${room}/`) ? [] : [target];
        }),
      ),
    );
    const listed = Object.entries(doors).flatMap(([room, files]) => files.map((file) => `src/${room}/${file}.ts`));
    expect(listed.filter((file) => !used.has(file))).toEqual([]);
  });
  it('opens SQLite in src/store alone', () => {
    const opens = /^(?:node:sqlite|.*\/store\/sqlite\/.*)$/;
    const wrong = [...house].flatMap(([path, text]) =>
      path.startsWith('src/store/')
        ? []
        : importsOf(path, text).flatMap(({ specifier }) => (opens.test(specifier ?? '') ? [path] : [])),
    );
    expect(wrong).toEqual([]);
  });
  it('has no circle', () => expect(circles(house)).toEqual([]));
  it('has no circle of rooms', () => expect(roomCircles(house)).toEqual([]));
  it('has at most 3 arrows up inside of http', () => expect(arrowsUp(house, 'http').length).toBeLessThanOrEqual(3));
  it('has a dashboard that knows the client alone, and packages that a page has', () => {
    const known =
      /^(?:caisson\/client|preact(?:\/(?:hooks|compat))?|@xterm\/(?:xterm|addon-fit)(?:\/css\/xterm\.css)?)$/;
    const wrong = [...house].flatMap(([path, text]) =>
      path.startsWith('dashboard/src/')
        ? importsOf(path, text).flatMap(({ specifier }) =>
            specifier === null || specifier.startsWith('.') || known.test(specifier) ? [] : [`${path}: ${specifier}`],
          )
        : [],
    );
    expect(wrong).toEqual([]);
  });
  it('has four files at the root of src', () =>
    expect([...house.keys()].filter((path) => /^src\/[^/]+$/.test(path)).toSorted()).toEqual(
      ['backend', 'errors', 'index', 'main'].map((name) => `src/${name}.ts`),
    ));
  it('has no name of a backend in core', () => {
    expect(backendNamesIn(house, Object.keys(backends))).toEqual([]);
    const named = new Map([['src/plan/x.ts', "terminal.docker_image; const local = 'local'; `${x}`"]]);
    expect(backendNamesIn(named, Object.keys(backends))).toEqual([
      'src/plan/x.ts: docker_image',
      'src/plan/x.ts: local',
    ]);
  });
  it('keeps no promise that failed: what is made once goes through `remembered`', () => {
    expect(keptPromises(house)).toEqual([]);
    const wrong = 'class A { #made: Promise<B> | null = null; make() { this.#made ??= this.#open();\n  }\n }';
    const right = wrong.replace('open();', 'open().finally(() => (this.#made = null));');
    expect(
      keptPromises(
        new Map([
          ['src/a.ts', wrong],
          ['src/b.ts', right],
        ]),
      ),
    ).toEqual(['src/a.ts: #made']);
  });
  it('has comments that are sentences of their own', () => {
    expect(faultsOf(new Map([...house, ...outbuildings]))).toEqual([]);
    const wrong = '/** Of the call. */\nconst a = 1;\n/** One. */\n/** It is no file. */\nconst b = 2;';
    expect(faultsOf(new Map([['src/a.ts', wrong]]))).toEqual([
      'src/a.ts:1: begins with Of: Of the call.',
      'src/a.ts:4: has "is no ": It is no file.',
      'src/a.ts:4: follows another one: It is no file.',
    ]);
  });
  it('has a suite for backends that knows the contract alone', () => {
    const own = /^test\/conformance\/(?!core\/|.*\.test\.ts$|readme\.ts$)/;
    const known = /^(?:src\/(?:backend|errors)\.ts|test\/conformance\/(?!core\/).*)$/;
    const wrong = [...outbuildings].flatMap(([path, text]) =>
      own.test(path)
        ? importsOf(path, text).flatMap((each) => {
            const target = targetOf(path, each);
            return target === null || known.test(target) ? [] : [`${path}: ${target}`];
          })
        : [],
    );
    expect(wrong).toEqual([]);
  });
  it('is drawn in docs/architecture.md as it is (draw it anew with `node scripts/picture.ts`)', () => {
    const page = readFileSync(`${root}docs/architecture.md`, 'utf8');
    expect(page).toBe(withPicture(page, house));
  });
  it('has pages whose links lead to files', () => {
    const pages = [...globSync('{docs,examples/*}/*.md', { cwd: root }), 'README.md', 'SECURITY.md', 'CONTRIBUTING.md'];
    const inRepository = 'https://github.com/caisson-dev/caisson/blob/main/';
    const dead = pages.flatMap((page) =>
      [...readFileSync(`${root}${page}`, 'utf8').matchAll(/\]\(([^)#]+)/g)]
        .map(([, link = '']) => link)
        .filter((link) => link.startsWith(inRepository) || !/^https?:/.test(link))
        .map((link) => (link.startsWith(inRepository) ? link.slice(inRepository.length) : join(dirname(page), link)))
        .filter((path) => !existsSync(join(root, path)))
        .map((path) => `${page}: ${path}`),
    );
    expect(dead).toEqual([]);
  });
  it('is written without riddles', async () => {
    const pages = await readSources(root, [
      '*.md',
      'docs/**/*.md',
      '{src,backends,emulators,examples}/**/*.md',
      '{src,backends,emulators}/**/*.sh',
    ]);
    const riddle = /\b(?:whoever|(?<!memory-)told|is none|of ours|(?<![`'])nobody(?! (?:when|to)\b))\b/gi;
    const found = [...house, ...outbuildings, ...pages].flatMap(([path, text]) =>
      [...text.matchAll(riddle)].map(({ 0: word }) => `${path}: ${word}`),
    );
    // Texts that are data.
    expect(found.slice(31)).toEqual([]);
  });
  it('has a page in every room', () => {
    const rooms = new Set([...house.keys()].flatMap((path) => /^(?:src|backends)\/[^/]+(?=\/)/.exec(path)?.[0] ?? []));
    const pages = [...rooms].filter((room) => room !== 'backends/shared').map((room) => `${room}/README.md`);
    const lines = (page: string): number =>
      existsSync(`${root}${page}`) ? readFileSync(`${root}${page}`, 'utf8').split('\n').length : 0;
    expect(pages.filter((page) => lines(page) === 0)).toEqual([]);
  });
  it.each(['src/README.md', 'docs/architecture.md'])('has all its rooms in the table of %s', (page) => {
    const rooms = new Set([...house.keys()].flatMap((path) => /^src\/([^/]+)(?=\/)/.exec(path)?.[1] ?? []));
    const rows = readFileSync(`${root}${page}`, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| '));
    const named = (room: string): boolean =>
      rows.some((row) => row.includes(`\`${room}/\``) || row.includes(`[${room}](`));
    expect([...rooms].filter((room) => !named(room))).toEqual([]);
  });
  it('has no code that is packed', () => {
    expect(packedIn(new Map([...house, ...outbuildings]))).toEqual([]);
    const spread = ['..', '.{ b, c }'].join('');
    const fields = ['[', 'this.a, this.b] = [a, b];'].join('');
    const packed = new Map([['src/a.ts', `const a = { ${spread}, d };\n  ${fields}`]]);
    expect(packedIn(packed).map((each) => each.split(':', 2).join(':'))).toEqual(['src/a.ts:1', 'src/a.ts:2']);
    expect(packedIn(new Map([['src/a.ts', 'const a = { ...(b === null ? {} : { b }), ...c };']]))).toEqual([]);
  });
  it('has no file of more than 300 lines, but for five at most that have 400', () => {
    expect(tooLong(new Map([...house, ...outbuildings]))).toEqual([]);
    expect(long.size).toBeLessThanOrEqual(5);
  });
  it('is really read', () =>
    expect([...house.keys()]).toEqual(expect.arrayContaining(['src/backend.ts', 'src/main.ts', 'backends/index.ts'])));
});

/** Each must be reported: a rule that lets one of these through guards nothing. */
const wrong: readonly [why: string, path: string, line: string][] = [
  ['the contract knows errors only', 'src/backend.ts', "import type { Spec } from './spec/types.ts'"],
  ['the error table knows nothing', 'src/errors.ts', "import { open } from './main.ts'"],
  ['a backend does not know core', 'backends/docker/sandbox.ts', "import { kill } from '../../src/exec/kill.ts'"],
  ['not even by type', 'backends/docker/sandbox.ts', "import type { Row } from '../../src/store/store.ts'"],
  ['a backend does not know another', 'backends/docker/sandbox.ts', "import { spawn } from '../local/process.ts'"],
  ['what backends share knows none of them', 'backends/shared/spawn.ts', "import { name } from '../local/backend.ts'"],
  ['core names no backend', 'src/sandbox/create.ts', "import { docker } from '../../backends/docker/backend.ts'"],
  [
    'core names no backend later either',
    'src/sandbox/create.ts',
    "const d = await import('../../backends/docker/backend.ts')",
  ],
  ['nor by a computed name', 'src/sandbox/create.ts', 'const d = await import(`../../backends/${name}/backend.ts`)'],
  [
    'only the composition root lists backends',
    'src/service/caisson.ts',
    "import { backends } from '../../backends/index.ts'",
  ],
  ['a front end does not know the store', 'src/cli/ls.ts', "import { openStore } from '../store/sqlite/store.ts'"],
  ['nor policy', 'src/http/check.ts', "export { decide } from '../policy/decide.ts'"],
  ['nor a backend', 'src/mcp/tools.ts', "import type { Docker } from '../../backends/docker/backend.ts'"],
  ['a core room knows only the doors of another', 'src/guard/x.ts', "import { walk } from '../shell/tree/walk.ts'"],
  ['shell text is read without a judgment', 'src/shell/x.ts', "import type { Finding } from '../policy/types.ts'"],
  ['types.ts is no back door', 'src/http/x.ts', "import type { ExecRequest } from '../exec/types.ts'"],
  ['a front end has a list of its own', 'src/http/x.ts', "import { agent } from '../acp/agent.ts'"],
  ['front ends do not know each other', 'src/http/server.ts', "import { print } from '../cli/table.ts'"],
  ['core does not know the service', 'src/exec/run.ts', "import type { CaissonApi } from '../service/caisson.ts'"],
  ['a core room knows only the rooms below it', 'src/exec/run.ts', "import { admit } from '../guard/gate.ts'"],
  ['not even by type', 'src/secrets/filters.ts', "import type { Plan } from '../plan/types.ts'"],
  ['core does not know the composition root', 'src/exec/run.ts', "import { open } from '../main.ts'"],
  ['core does not know front ends', 'src/policy/ask.ts', "import { prompt } from '../cli/terminal.ts'"],
  ['the service does not open itself', 'src/service/caisson.ts', "import { open } from '../main.ts'"],
  ['tests stay outside', 'src/exec/run.ts', "import { fake } from '../../test/fixtures/fake-backend/backend.ts'"],
  ['a new folder gets a room first', 'src/misc/thing.ts', ''],
];

const right: readonly [path: string, line: string][] = [
  ['src/cli/run.ts', "import { CaissonError } from '../errors.ts'"],
  ['src/cli/main.ts', "const { openCaisson } = await import('../main.ts')"],
  ['src/main.ts', "import { backends } from '../backends/index.ts'"],
  ['src/sandbox/create.ts', "import type { Backend } from '../backend.ts'"],
  ['backends/index.ts', "const docker = () => import('./docker/backend.ts')"],
  ['backends/docker/sandbox.ts', "import type { Spec } from '../../src/backend.ts'; import Docker from 'dockerode'"],
];

describe('the rules', () => {
  it.each(wrong)('report that %s', (_why, path, line) => {
    expect(wrongArrows(new Map([[path, `\n${line}\n`]]))).toEqual([expect.stringMatching(`^${path}(:2)?: `)]);
  });

  it('name the wrong import and the doors of its room alone', () => {
    const found = wrongArrows(new Map([['src/access/x.ts', "import { a } from '../audit/chain.ts'"]]));
    expect(found).toEqual([
      'src/access/x.ts:1: imports src/audit/chain.ts. This is the room access; it may import of src/audit/ src/audit/acts.ts, ' +
        'src/audit/facts.ts, src/audit/open.ts, src/audit/types.ts',
    ]);
    const none = wrongArrows(new Map([['src/shell/x.ts', "import { a } from '../audit/open.ts'"]]));
    expect(none).toEqual([
      'src/shell/x.ts:1: imports src/audit/open.ts. This is the room shell; it may import of src/audit/ nothing',
    ]);
  });

  it.each(right)('let %s say %s', (path, line) => expect(wrongArrows(new Map([[path, line]]))).toEqual([]));

  it('report a circle of types', () => {
    const a = "import type { B } from './b.ts'; export type A = B";
    const b = "export type { A } from './c.ts'; export type B = 1";
    const c = "export type { A } from './a.ts'";
    expect(
      circles(
        new Map([
          ['src/a.ts', a],
          ['src/b.ts', b],
          ['src/c.ts', c],
        ]),
      ),
    ).toEqual(['src/a.ts -> src/b.ts -> src/c.ts -> src/a.ts']);
  });

  it('report a circle of rooms that is not one of files', () => {
    const files = new Map([
      ['src/a/one.ts', "import '../b/one.ts'"],
      ['src/b/one.ts', ''],
      ['src/b/two.ts', "import '../a/two.ts'"],
      ['src/a/two.ts', ''],
      ['src/c/one.ts', "import '../a/one.ts'"],
    ]);
    expect([circles(files), roomCircles(files)]).toEqual([[], ['a', 'b']]);
  });

  it('report the arrows up inside of a room', () => {
    const files = new Map([
      ['src/a/one.ts', "import './low/one.ts'"],
      ['src/a/two.ts', "import './low/one.ts'"],
      ['src/a/low/one.ts', "import '../one.ts'; import '../../b/one.ts'"],
      ['src/b/one.ts', "import './two.ts'"],
      ['src/b/two.ts', ''],
    ]);
    expect([arrowsUp(files, 'a').length, arrowsUp(files, 'b').length]).toEqual([1, 0]);
  });

  it('report a room that wants a wall', () => {
    expect(
      tooLong(
        new Map([
          ['src/a.ts', '\n'.repeat(301)],
          ['src/b.ts', '\n'.repeat(300)],
        ]),
      ),
    ).toHaveLength(1);
  });

  it('see no import in strings and comments', () => {
    const text = "// import a from './a.ts'\nconst b = \"import b from './b.ts'\" /* import('./c.ts') */";
    expect(importsOf('src/x.ts', text)).toEqual([]);
  });
});
