/** Loops over words that are written down: what is in them is read once for each value. */
import { copyOf, keepValue, type Around } from '../parts.ts';

export interface Loop {
  readonly name: string;
  readonly values: readonly string[];
  /** Index behind the last node of the loop. */
  readonly until: number;
}

const maxVariants = 32;
/** Commands of a text; behind them the values of loops stay unknown. */
export const maxPerValue = 2000;

/** `source`: of the command that is read. Beyond the bound the values stay unknown. */
export function perValue(loops: readonly Loop[], source: string, around: Around): readonly Around[] {
  let variants: readonly Around[] = [around];
  for (const { name, values } of loops) {
    if (values.length * variants.length > maxVariants || !mentions(source, name)) continue;
    variants = variants.flatMap((variant) => values.map((value) => holding(variant, name, value)));
  }
  return variants;
}

function holding(around: Around, name: string, value: string): Around {
  const scope = copyOf(around.scope);
  keepValue(scope, name, value);
  return { ...around, scope };
}

function mentions(source: string, name: string): boolean {
  return new RegExp(`\\$\\{?[!#]?${name}(?!\\w)`).test(source);
}
