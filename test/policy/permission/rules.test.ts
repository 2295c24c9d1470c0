import { describe, expect, it } from 'vitest';
import { parsePermission } from '../../../src/policy/permission/rules.ts';

describe('a rule that forbids or asks', () => {
  it.each(['terminal(l*)', 'terminal(rm -rf*)', 'terminal(*)', 'terminal(rm ?)'])(
    'is refused when it is %s',
    (text) => {
      for (const verdict of ['deny', 'ask'] as const)
        expect(() => parsePermission(text, verdict)).toThrow('end it with :* for a beginning');
    },
  );

  it.each(['terminal(rm -rf:*)', 'terminal(rm *)', "terminal(rm '*')", 'write_file(src/*)'])('may be %s', (text) => {
    expect(parsePermission(text, 'deny')).toMatchObject({ verdict: 'deny' });
  });
});
