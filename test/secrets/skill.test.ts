import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skillNeeds } from '../../src/secrets/skill.ts';
import { Skills } from '../../src/secrets/skills.ts';
import { passedEnv } from '../../src/values/env.ts';

const env = { TENOR_API_KEY: 'x', EMPTY: '', OTHER: 'y' };
let cwd = '';

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'caisson-skill-'));
});
afterAll(async () => rm(cwd, { recursive: true }));

async function skill(name: string, matter: string): Promise<string> {
  await mkdir(join(cwd, name), { recursive: true });
  await writeFile(join(cwd, name, 'SKILL.md'), matter);
  return name;
}

const listing = (list: string): string => `---\nname: gifs\nrequired_environment_variables:\n${list}\n---\n# Gifs\n`;

describe('a skill', () => {
  it('opens the variables that are set, and tells the others (EN-05)', async () => {
    const path = await skill(
      'gifs',
      listing('  - name: TENOR_API_KEY\n    prompt: key\n    help: a page\n  - EMPTY\n  - UNSET\n  - EMPTY'),
    );
    const found = { set: ['TENOR_API_KEY', 'EMPTY'], missing: ['UNSET'], files: [] };
    expect(await skillNeeds(path, { cwd, env })).toEqual(found);
    expect(await skillNeeds(join(path, 'SKILL.md'), { cwd, env })).toEqual(found);
  });

  it('declares credential files by path, by name, or by an entry that is one', async () => {
    const list = '  - path: google_token.json\n    description: OAuth token\n  - name: deep/key\n  - plain.json';
    const text = `---\nrequired_credential_files:\n${list}\n---\n`;
    const { files } = await skillNeeds(await skill('files', text), { cwd, env });
    expect(files).toEqual(['google_token.json', 'deep/key', 'plain.json']);
  });

  it.each(['../x', '/etc/passwd', '.env', 'a/../../x', '~/x', 'deep/'])(
    'cannot declare the file %s (CF-01)',
    async (path) => {
      const text = `---\nrequired_credential_files:\n  - path: "${path}"\n---\n`;
      const file = await skill('greedy', text);
      await expect(skillNeeds(file, { cwd, env })).rejects.toMatchObject({ code: 'invalid_argument' });
    },
  );

  it('is found by its name in directories of skills, where it is not here', async () => {
    const path = await skill('found', listing('  - OTHER'));
    const directories = [join(cwd, 'nowhere'), cwd];
    const elsewhere = { cwd: '/', env, directories };
    expect((await skillNeeds('found', elsewhere)).set).toEqual(['OTHER']);
    await expect(skillNeeds('sub/found', elsewhere)).rejects.toMatchObject({ code: 'invalid_argument' });
    const skills = new Skills(elsewhere);
    const task = { taskId: 'one', ephemeral: true };
    const wanted = { configured: ['found'], asked: [] };
    expect((await skills.load(task, wanted)).set).toEqual(['OTHER']);
    await rm(join(cwd, path), { recursive: true });
    expect((await skills.load(task, wanted)).set).toEqual(['OTHER']);
  });

  it('needs nothing when it names nothing', async () => {
    for (const text of [
      '',
      '# no front matter',
      '---\nname: x\n---\n',
      '---\nrequired_environment_variables:\n---\n',
      '---\n- a\n---\n',
    ])
      expect(await skillNeeds(await skill('plain', text), { cwd, env })).toEqual({ set: [], missing: [], files: [] });
  });

  it.each([
    'SSH_AUTH_SOCK',
    'DOCKER_HOST',
    'CAISSON_HOME',
    'OPENAI_API_KEY',
    'LD_PRELOAD',
    'BASH_FUNC_x',
    'A-B',
    'A=B',
    '__proto__\\u0000',
  ])('cannot open %s (EN-04, EN-06, EN-08)', async (name) => {
    const path = await skill('greedy', listing(`  - "${name}"`));
    await expect(skillNeeds(path, { cwd, env: { ...env, [name]: 'x' } })).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });

  it.each([
    ['a list that is not one', listing('  name: X')],
    ['an entry without a name', listing('  - prompt: X')],
    ['a number', listing('  - 7')],
    ['what is no YAML', '---\na: [\n---\n'],
    ['too many names', listing(Array.from({ length: 65 }, (_, at) => `  - N${at}`).join('\n'))],
    ['a file that is too large', 'a'.repeat(256 * 1024 + 1)],
  ])('with %s is refused', async (_what, text) => {
    const path = await skill('broken', text);
    await expect(skillNeeds(path, { cwd, env })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('that is not there is refused', async () => {
    await expect(skillNeeds('nowhere', { cwd, env })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('counts for its task from then on, and for no other (CF-10)', async () => {
    const path = await skill('gifs', listing('  - OTHER'));
    const skills = new Skills({ cwd, env });
    const [one, two, fleeting] = [
      { taskId: 'one', ephemeral: false },
      { taskId: 'two', ephemeral: false },
      { taskId: 'eph-1', ephemeral: true },
    ];
    expect(await skills.load(one, { configured: [], asked: [path] })).toEqual({
      set: ['OTHER'],
      missing: [],
      files: [],
    });
    expect(await skills.load(fleeting, { configured: [], asked: [path] })).toEqual({
      set: ['OTHER'],
      missing: [],
      files: [],
    });
    expect((await skills.load(one, { configured: [], asked: [] })).set).toEqual(['OTHER']);
    expect((await skills.load(two, { configured: [], asked: [] })).set).toEqual([]);
    expect((await skills.load(fleeting, { configured: [], asked: [] })).set).toEqual([]);
  });
});

describe('at use', () => {
  it('names that are never passed on are refused once more (EN-04)', () => {
    expect(passedEnv(['OTHER', 'UNSET'], env)).toEqual({ OTHER: 'y' });
    for (const name of ['SSH_AUTH_SOCK', 'BASH_ENV', 'TELEGRAM_BOT_TOKEN', 'telegram_bot_token'])
      expect(() => passedEnv([name], { [name]: 'x' })).toThrow(/never passed on/);
    expect(() => passedEnv(['OTHER'], env, ['OTHER'])).toThrow(/key of Caisson itself/);
  });
});
