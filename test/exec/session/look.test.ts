import { describe, expect, it } from 'vitest';
import { readLook } from '../../../src/exec/session/look.ts';

const reported = (text: string) => readLook(Buffer.from(text), 'TOKEN');

describe('what a shell tells of itself', () => {
  it('is read behind its token', () => {
    expect(reported('TOKEN7:4:/usr,,')).toEqual({ cwd: '/usr', definitions: [] });
    expect(reported("late wordsTOKEN26:4:/usr,1:a,2:ll,7:ll='ls',,")).toEqual({
      cwd: '/usr',
      definitions: [{ kind: 'alias', name: 'll', text: 'ls' }],
    });
  });

  it.each([
    '7:4:/usr,,',
    'TOKEN',
    'TOKEN7:4:/usr,,late words',
    'TOKEN7:4:/usr,,7:4:/tmp,,',
    'TOKEN7:4:/',
    'TOKEN6:4:/usr,,',
    'TOKEN6:3:usr,,',
    'TOKEN11:4:/usr,1:a,,',
  ])('is not believed when something else wrote in between, or it was cut: %j', (text) => {
    expect(reported(text)).toBeNull();
  });
});
