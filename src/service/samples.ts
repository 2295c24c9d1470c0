/** What a sandbox has used. Types only. */
export interface SampleFigures {
  /** Cores that it used on average. `null`: not known. */
  readonly cpuCores: number | null;
  /** `null`: its place does not tell. */
  readonly memoryBytes: number | null;
  /** Processes and threads. `null`: its place does not tell. */
  readonly pids: number | null;
  /** Bytes a second that came over the network. `null`: not known. */
  readonly receivedPerSecond: number | null;
  /** Bytes a second that went over the network. `null`: not known. */
  readonly sentPerSecond: number | null;
}

export interface Sample extends SampleFigures {
  /** RFC 3339, UTC. */
  readonly at: string;
}

export interface MinuteSample {
  /** RFC 3339, UTC. The beginning of the minute. */
  readonly at: string;
  /** Means of the samples of the minute. */
  readonly mean: SampleFigures;
  /** The highest of each. */
  readonly max: SampleFigures;
}

export interface Samples {
  /** Samples of the last hour, about ten seconds apart, oldest first; a minute apart where the place takes long to tell. */
  readonly recent: readonly Sample[];
  /** Minutes of the last day, oldest first. */
  readonly minutes: readonly MinuteSample[];
}

export interface SamplesInput {
  /** Only so many of the last `recent`, and no minutes. Absent: all. */
  readonly last?: number;
}
