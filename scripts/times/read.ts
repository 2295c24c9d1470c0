/** Reads what runs have left: their records, and the times of all their cases. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { RunTimes } from '../../test/reporters/times.ts';
import type { RunRecord } from './record.ts';

const file = z.object({ file: z.string(), durationMs: z.number() });
const step = z.object({
  name: z.string(),
  durationMs: z.number(),
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
});

const runRecord: z.ZodType<RunRecord> = z.object({
  commit: z.string(),
  processors: z.array(z.string()),
  startedAt: z.string(),
  durationMs: z.number(),
  steps: z.array(step),
  files: z.array(file),
  cases: z.array(file.extend({ name: z.string() })),
});

const runTimes: z.ZodType<RunTimes> = z.object({
  files: z.array(file.extend({ project: z.string(), title: z.string(), broken: z.boolean() })),
  cases: z.array(
    file.extend({
      project: z.string(),
      name: z.string(),
      state: z.enum(['passed', 'failed', 'skipped']),
      counts: z.array(z.record(z.string(), z.union([z.string(), z.number()]))).exactOptional(),
    }),
  ),
});

export const readRecord = (path: string): RunRecord => runRecord.parse(JSON.parse(readFileSync(path, 'utf8')));
export const readTimes = (path: string): RunTimes => runTimes.parse(JSON.parse(readFileSync(path, 'utf8')));
