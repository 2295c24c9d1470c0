/** One place to compare in: how a command runs there without Caisson, and Caisson on the same sandbox. */
import type { Damage } from './defects/defect.ts';
import type { Answer, Run } from './ours.ts';
import type { Path } from './path.ts';
import type { RawCommand, RawRunner } from './raw.ts';

export interface OraclePlace extends AsyncDisposable {
  readonly name: string;
  /** Directory in the sandbox for all that the oracle makes. */
  readonly root: string;
  readonly raw: RawRunner;
  /** `bash -c TEXT` by the raw engine. */
  readonly bash: (text: string, how: Pick<RawCommand, 'stdin' | 'tty'> & { readonly directory: string }) => RawCommand;
  /** Runs of Caisson, on one sandbox with the raw side. */
  readonly run: (path: Path, run: Run) => Promise<Answer>;
  readonly hasTerminals: boolean;
  /** Programs that commands want and that not every place has. */
  readonly programs: ReadonlySet<string>;
}

/** How a place is made, on a state directory of its own. */
export interface PlaceSource {
  readonly name: string;
  /** Why it cannot be had on this machine; `null` when it can. */
  readonly unavailable: string | null;
  /** `damage`: what a planted defect makes of Caisson. */
  readonly open: (damage?: Damage) => Promise<OraclePlace>;
}
