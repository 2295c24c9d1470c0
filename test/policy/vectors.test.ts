import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decide } from './opened.ts';

interface Row {
  readonly command: string;
  readonly expect: 'hardline' | 'dangerous' | 'safe';
}

const rows = read();
const of = (kind: Row['expect']): readonly string[] =>
  rows.filter((row) => row.expect === kind).map(({ command }) => command);

describe('the recorded commands', () => {
  it('are there', () =>
    expect(Math.min(of('hardline').length, of('dangerous').length, of('safe').length)).toBeGreaterThan(50));

  it.each(of('hardline'))('deny %j on the host', (command) => {
    expect(decide(command)).toMatchObject({ verdict: 'deny', tier: 'hardline' });
    expect(decide(command, { reach: 'remote-host' }).verdict).toBe('deny');
    expect(decide(command, { reach: 'container-with-host-paths' }).verdict).toBe('deny');
  });

  it.each(of('dangerous'))('ask for %j', (command) => {
    expect(decide(command).verdict).not.toBe('allow');
  });

  it('run at least 99 of 100 safe ones, and none is hardline', () => {
    const decisions = of('safe').map((command) => ({ command, ...decide(command) }));
    expect(decisions.filter(({ tier }) => tier === 'hardline')).toEqual([]);
    const stopped = decisions.filter(({ verdict }) => verdict !== 'allow');
    expect(stopped.slice(Math.floor(decisions.length / 100))).toEqual([]);
  });

  it('all run in a container', () => {
    const stopped = rows.filter(({ command }) => decide(command, { reach: 'container' }).verdict !== 'allow');
    expect(stopped).toEqual([]);
  });
});

function read(): readonly Row[] {
  const parsed: unknown = JSON.parse(readFileSync(new URL('vectors/approval.json', import.meta.url), 'utf8'));
  return Array.isArray(parsed) ? parsed.filter(isRow) : [];
}

function isRow(value: unknown): value is Row {
  return (
    typeof value === 'object' &&
    value !== null &&
    'command' in value &&
    typeof value.command === 'string' &&
    'expect' in value
  );
}
