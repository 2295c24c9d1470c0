/** Samples of a sandbox as points of lines. Pure. */
import type { CaissonClient } from 'caisson/client';
import type { Point } from './shape.ts';

export type Samples = Awaited<ReturnType<CaissonClient['sandboxes']['samples']>>;
export type Figure = Exclude<keyof Samples['recent'][number], 'at'>;

export const recentPoints = ({ recent }: Pick<Samples, 'recent'>, figure: Figure): readonly Point[] =>
  recent.map((sample) => ({ atMs: Date.parse(sample.at), value: sample[figure] }));

/** The highest of each minute: a peak of a second is what is looked for. */
export const dayPoints = ({ minutes }: Pick<Samples, 'minutes'>, figure: Figure): readonly Point[] =>
  minutes.map(({ at, max }) => ({ atMs: Date.parse(at), value: max[figure] }));
