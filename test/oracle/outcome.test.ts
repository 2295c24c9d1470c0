import { describe, expect, it } from 'vitest';
import { filesIn, isWhole } from './files.ts';
import { differences, type Outcome } from './outcome.ts';
import { partOf } from './choose.ts';
import { readCases } from './case.ts';
import { programsIn } from './programs.ts';

const outcome = (more: Partial<Outcome> = {}): Outcome => ({
  stdout: Buffer.from('out'),
  stderr: Buffer.from('err'),
  code: 0,
  fault: null,
  files: 'a f 644 00',
  ...more,
});

const ran = (more: Partial<Outcome> = {}) => ({ directory: '/tmp/plain-000001', outcome: outcome(more) });

describe('two runs', () => {
  it('that are alike have no difference', () => {
    expect(differences({ fields: [] }, ran(), { ...ran(), directory: '/tmp/plain-000002' })).toEqual([]);
  });

  it.each([
    ['stdout', { stdout: Buffer.from('ou') }],
    ['stderr', { stderr: Buffer.from('') }],
    ['code', { code: 1 }],
    ['code', { code: null }],
    ['files', { files: 'a f 600 00' }],
    ['fault', { fault: 'lost' }],
  ] as const)('differ in %s alone', (part, more) => {
    expect(differences({ fields: [] }, ran(), ran(more)).map((each) => each.part)).toEqual([part]);
  });

  it('show where they part', () => {
    const [found] = differences(
      { fields: [] },
      ran({ stdout: Buffer.from(`${'x'.repeat(1000)}y`) }),
      ran({ stdout: Buffer.from('x'.repeat(1000)) }),
    );
    expect(found?.raw).toContain('xy" (960 to 1001 of 1001)');
  });
});

it('files of runs are read from the list of all', () => {
  const sum = 'a'.repeat(64);
  const list = `f\t644\tplain-000001/a b\t\0l\t777\tplain-000002/l\ttarget\0d\t755\tplain-000001/d\t\0f\t600\tplain-000002/sums\t\0sums\0${sum}  ./plain-000002/sums\0${sum}  ./plain-000001/a b\0whole\0`;
  expect([isWhole(list), isWhole(list.slice(0, -1))]).toEqual([true, false]);
  expect([...filesIn(list)]).toEqual([
    ['plain-000001', `a b f 644 ${sum}\nd d 755 `],
    ['plain-000002', `l l 777 target\nsums f 600 ${sum}`],
  ]);
});

it('a seed names a third of the commands, each in one place on two paths, and the same again', () => {
  const cases = readCases();
  const part = partOf(cases, ['docker', 'local'], 5);
  expect(part).toEqual(partOf(cases, ['docker', 'local'], 5));
  expect(part).not.toEqual(partOf(cases, ['docker', 'local'], 6));
  const byCase = [...Map.groupBy(part, (each) => each.case.id).values()];
  expect(byCase.length).toBe(Math.ceil(cases.length / 3));
  for (const each of byCase)
    expect([new Set(each.map(({ path }) => path)).size, new Set(each.map(({ place }) => place)).size]).toEqual([2, 1]);
});

it('a command names the programs that it needs', () => {
  expect(programsIn('git log | jq .a; (strace true)')).toEqual(['git', 'jq', 'strace']);
  expect(programsIn('echo my-git x.xz file.txt')).toEqual([]);
});
