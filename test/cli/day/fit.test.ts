/** Tables on terminals of any width. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plain } from '../../../src/cli/paint.ts';
import { table } from '../../../src/cli/table.ts';

const cell = fc.string({ maxLength: 90, unit: fc.constantFrom(...'abc é-') });

it('no line is wider than the terminal, and columns go in their order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, cell, cell), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 40, max: 200 }),
      (rows, width) => {
        const head = ['FIRST', { title: 'SECOND', drop: 1 }, { title: 'THIRD', drop: 2 }, 'LAST'];
        const lines = table(head, rows, { paint: plain, width }).split('\n');
        expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(width);
        expect(lines[0]).toMatch(/^FIRST( .*)?LAST$/);
        if (lines[0]?.includes('THIRD') === true) expect(lines[0]).toContain('SECOND');
      },
    ),
    { numRuns: 300 },
  );
});

it('without a terminal, all columns are there', () => {
  const wide = ['x'.repeat(70), 'y'.repeat(70)];
  expect(table(['A', { title: 'B', drop: 1 }, 'C'], [[...wide, 'z']], { paint: plain, width: null })).toContain(
    wide[1],
  );
});
