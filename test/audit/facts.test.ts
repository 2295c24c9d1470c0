import { describe, expect, it } from 'vitest';
import { commandFacts } from '../../src/audit/facts.ts';

const cwd = '/workspace';

describe('what the audit keeps of a command', () => {
  it('holds names of variables, and values neither there nor in the words', () => {
    const env = { TOKEN: 's3cret-value', MODE: 'on' };
    const facts = commandFacts({ command: ['curl', '-H', 'Bearer s3cret-value', 'on'], cwd, env });
    expect(facts).toMatchObject({ command: ['curl', '-H', 'Bearer [TOKEN]', 'on'], env: ['TOKEN', 'MODE'] });
    expect(JSON.stringify(facts)).not.toContain('s3cret');
  });

  it('cuts long commands and still tells them apart by their hash', () => {
    const [one, two] = ['a', 'b'].map((end) =>
      commandFacts({ command: ['x'.repeat(9000) + end, 'more'], cwd, env: {} }),
    );
    expect(JSON.stringify(one).length).toBeLessThan(9000);
    expect(one?.['command']).toEqual(two?.['command']);
    expect(one?.['command_sha256']).not.toBe(two?.['command_sha256']);
  });
});
