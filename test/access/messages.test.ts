/** What becomes of a message, under the configurations that the documents print. */
import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/access/types.ts';
import { checkTaskId } from '../../src/values/task.ts';
import { direct, world } from './world.ts';

/** Sections in the form that the documents print. */
const strangers = 'unauthorized_dm_behavior: pair\nwhatsapp:\n  unauthorized_dm_behavior: ignore\n';
const discord = `discord:
  require_mention: true          # Default — bot only responds when @mentioned
  free_response_channels: ""     # Channel IDs where mention is not required
  auto_thread: true              # Auto-create threads on @mention
`;

const pair = { what: 'pair' };
const ignored = { what: 'ignored', why: 'not-allowed' };

describe('a direct message of a stranger', () => {
  const [none, list, forAll] = ['', 'TELEGRAM_ALLOWED_USERS=1', 'GATEWAY_ALLOWED_USERS=1'];
  const silent = 'unauthorized_dm_behavior: ignore\n';
  const onSlack = 'slack: {unauthorized_dm_behavior: pair}\n';

  it.each([
    ['nothing', ['', none], 'telegram', pair],
    ['the snippet', [strangers, none], 'telegram', pair],
    ['the snippet, which keeps WhatsApp silent', [strangers, none], 'whatsapp', ignored],
    ['the snippet, and a list of users', [strangers, list], 'telegram', pair],
    ['a list of users alone', ['', list], 'telegram', ignored],
    ['a list of users of another platform', ['', list], 'slack', pair],
    ['a list of users of all platforms', ['', forAll], 'slack', ignored],
    ['a list, and a platform that pairs', [onSlack, forAll], 'slack', pair],
    ['ignore for all, and a platform that pairs', [silent + onSlack, none], 'slack', pair],
    ['ignore for all', [silent, none], 'matrix', ignored],
    ['a platform without a section', [strangers, none], 'matrix', pair],
    ['a platform that is called like another section', [silent, none], 'terminal', ignored],
  ] as const)('under %s', async (_about, [config, dotenv], platform, expected) => {
    const { access } = await world(config, dotenv);
    expect(await access.message(direct('99', { platform }))).toMatchObject(expected);
  });

  it('needs no mention of somebody who is known', async () => {
    const { access } = await world(discord, 'DISCORD_ALLOWED_USERS=42\n');
    const heard = { what: 'heard', rule: 'platform-allowlist', answer: 'here' };
    expect(await access.message(direct('42', { platform: 'discord' }))).toEqual(heard);
  });

  it('is answered with the directory of MESSAGING_CWD, and by nothing where that is no place for an agent', async () => {
    const { another } = await world('', 'TELEGRAM_ALLOWED_USERS=42\n');
    const heard = await (await another({ MESSAGING_CWD: '/srv/projects' })).message(direct('42'));
    expect(heard).toMatchObject({ what: 'heard', cwd: '/srv/projects' });
    const refused = (await another({ MESSAGING_CWD: '/' })).message(direct('42'));
    await expect(refused).rejects.toThrow(expect.objectContaining({ code: 'failed_precondition' }));
  });

  it('counts the environment, which wins over .env', async () => {
    const { another } = await world('', 'TELEGRAM_ALLOWED_USERS=1\n');
    const access = await another({ TELEGRAM_ALLOWED_USERS: '99' });
    expect(await access.message(direct('99'))).toMatchObject({ what: 'heard', rule: 'platform-allowlist' });
    expect(await access.message(direct('1'))).toEqual(ignored);
  });
});

describe('a message in a channel', () => {
  const here: Message = { platform: 'discord', from: { ids: ['42'] }, channel: { id: '100' }, addressed: null };
  const thread = { ...here, channel: { id: '555', parent: '100' } };
  const known = 'DISCORD_ALLOWED_USERS=42\n';
  const inThread = { what: 'heard', answer: 'thread' };
  const atOnce = { what: 'heard', answer: 'here' };
  const unheard = { what: 'ignored', why: 'not-addressed' };
  const free = discord.replace('""', '"7, 100"');

  it.each([
    ['the snippet', discord, here, unheard],
    ['the snippet', discord, { ...here, addressed: 'mention' }, inThread],
    ['the snippet', discord, { ...here, addressed: 'command' }, atOnce],
    ['the snippet', discord, thread, unheard],
    ['the snippet', discord, { ...thread, addressed: 'mention' }, atOnce],
    ['nothing, which is the same', '', { ...here, addressed: 'mention' }, inThread],
    [
      'no threads',
      discord.replace('auto_thread: true', 'auto_thread: false'),
      { ...here, addressed: 'mention' },
      atOnce,
    ],
    ['no mention needed', discord.replace('mention: true', 'mention: false'), here, atOnce],
    ['a free channel', free, here, atOnce],
    ['a free channel, and a mention', free, { ...here, addressed: 'mention' }, inThread],
    ['a thread of a free channel', free, thread, atOnce],
    ['free channels as a list', 'discord: {free_response_channels: ["100"]}', here, atOnce],
    ['another free channel', discord.replace('""', '"1000,10"'), here, unheard],
    ['another platform', free, { ...here, platform: 'slack' }, unheard],
    ['another platform', discord, { ...here, platform: 'telegram', addressed: 'command' }, atOnce],
  ] as const)('under %s: %#', async (_about, config, message, expected) => {
    const { access } = await world(config, `${known}SLACK_ALLOWED_USERS=42\nTELEGRAM_ALLOWED_USERS=42\n`);
    expect(await access.message(message)).toMatchObject(expected);
  });

  it('is never answered with a code', async () => {
    const { access } = await world(strangers.replace('ignore', 'pair'));
    for (const addressed of ['mention', 'command', null] as const)
      for (const platform of ['discord', 'telegram', 'whatsapp'])
        expect(await access.message({ ...here, platform, addressed })).toMatchObject({ what: 'ignored' });
    expect((await access.list()).pending).toEqual([]);
  });
});

describe('a conversation', () => {
  const documented = 'group_sessions_per_user: true\n';
  const inChannel = (id: string, channel = '100'): Message =>
    direct(id, { platform: 'slack', channel: { id: channel } });

  it.each([
    ['the documented setting', documented, 4],
    ['nothing, which is the same', '', 4],
    ['one for all in a channel', documented.replace('true', 'false'), 2],
  ])('under %s', async (_about, config, inChannels) => {
    const { access } = await world(config);
    const directly = ['1', '2'].map((id) => access.conversation(direct(id, { platform: 'slack' })));
    const channels = [inChannel('1'), inChannel('2'), inChannel('1', '101'), inChannel('2', '101')];
    const names = channels.map((message) => access.conversation(message));
    expect(new Set(names).size).toBe(inChannels);
    expect(new Set([...names, ...directly]).size).toBe(inChannels + 2);
    expect(channels.map((message) => access.conversation(message))).toEqual(names);
    for (const name of names) expect(checkTaskId(name)).toMatch(/^slack-/);
  });

  it('has a legal name whatever the ids are, and another one for other ids', async () => {
    const { access } = await world();
    const odd = ['@Ada:example.com', '../x', 'ada ', 'x'.repeat(256), '*', '["100","1"]'].map((id) => inChannel(id));
    const longest = direct('1', { platform: 'p'.repeat(32), channel: { id: '[]' } });
    const names = [...odd, longest].map((message) => checkTaskId(access.conversation(message)));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('what cannot be known is refused', () => {
  it.each([
    ['a path', { platform: '../telegram' }],
    ['another case', { platform: 'Telegram' }],
    ['nothing', { platform: '' }],
    ['the word for all platforms', { platform: 'gateway' }],
    ['a name with a NUL', { platform: 'tele\0gram' }],
    ['a name without an end', { platform: `t${'x'.repeat(40)}` }],
    ['no id', { from: { ids: [' '] } }],
    ['an id with a line in it', { from: { ids: ['4\n2'] } }],
    ['an id without an end', { from: { ids: ['4'.repeat(257)] } }],
    ['a channel without an id', { channel: { id: '' } }],
  ] as const)('%s', async (_about, patch) => {
    const { access } = await world('', 'GATEWAY_ALLOW_ALL_USERS=true\n');
    await expect(access.message(direct('42', patch as Partial<Message>))).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('but spaces around an id are no user', async () => {
    const { access } = await world('', 'TELEGRAM_ALLOWED_USERS= 42 \n');
    expect(await access.message(direct(' 42 '))).toMatchObject({ what: 'heard' });
  });
});
