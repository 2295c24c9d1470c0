/** What a run of the suite says of each case, in `meta.api` of its test, which vitest's JSON reporter prints. */
export interface CaseMeta {
  readonly subject: string;
  readonly id: string;
  readonly kind: 'case' | 'deviation' | 'not-run';
  readonly reason?: string;
}

declare module 'vitest' {
  interface TaskMeta {
    api?: CaseMeta;
  }
}
