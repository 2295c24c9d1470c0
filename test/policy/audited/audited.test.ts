/** SEC-F11, SEC-F12: what a break-in found to pass. */
import { describe, expect, it } from 'vitest';
import { decide } from '../opened.ts';
import { catastrophes, dangers, protectedFiles, writers } from './forms.ts';
import { indirect, neighbours } from './indirect.ts';

describe('forms that were found to pass', () => {
  it.each(catastrophes)('refused: %s', (command) => {
    expect(decide(command)).toMatchObject({ verdict: 'deny', tier: 'hardline' });
  });

  it.each(dangers)('asked about: %s', (command) => {
    expect(decide(command).verdict).not.toBe('allow');
  });

  it.each(indirect)('asked about or refused: %s', (command) => {
    expect(decide(command).verdict).not.toBe('allow');
  });

  it.each(neighbours)('allowed: %s', (command) => {
    expect(decide(command).verdict).toBe('allow');
  });

  it.each(protectedFiles)('writes to %s are asked about', (file) => {
    const passing = writers
      .map((form) => form.replaceAll('F', file))
      .filter((text) => decide(text).verdict === 'allow');
    expect(passing).toEqual([]);
  });
});
