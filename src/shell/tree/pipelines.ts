/** Which commands stand in the same pipeline. */
import { stagesOf } from './ranges.ts';
import type { Reading } from './reading.ts';

/** Unless it is part of one that was met before. */
export function readPipeline(reading: Reading, node: number): void {
  const stages = stagesOf(reading.tree, node);
  if (!stages.some((stage) => reading.stages.has(stage))) connect(reading, stages);
}

export function connect(reading: Reading, stages: readonly number[]): void {
  const pipeline = {};
  for (const [index, stage] of stages.entries()) reading.stages.set(stage, { pipeline, index });
}
