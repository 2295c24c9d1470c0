/**
 * What commands on this host write by redirection, tee and the like. The dangerous list knows protected files by their
 * names; this adds what it cannot know: where links lead, this installation's own state, profiles and mirrors.
 */
import { resolve } from 'node:path';
import { askedToo } from '../../policy/asked-too.ts';
import type { Policy, Written } from '../../policy/policy.ts';
import type { Finding } from '../../policy/types.ts';
import { type Protection, protectionOf, type HomeDirectories } from '../../policy/writes/protect.ts';
import { type Call, placeOf, readable } from '../call.ts';
import type { Admission, Step } from '../gate.ts';
import { realPath } from './real.ts';
import { remembered } from '../../lib/remembered.ts';

const rule = 'U21';

export class WriteStep implements Step {
  readonly #surroundings: HomeDirectories;
  readonly #policy = remembered(
    async (): Promise<Policy> => await (await import('../../policy/policy.ts')).openPolicy(),
  );

  constructor(surroundings: HomeDirectories) {
    this.#surroundings = surroundings;
  }

  readonly concerns = ({ call }: Admission): boolean =>
    call.reach === 'host' && (call.subject.kind === 'argv' || call.subject.kind === 'text');

  readonly pass = async (admission: Admission): Promise<Admission> => {
    const findings = await this.#findings(admission.call);
    return findings.length === 0 ? admission : { ...admission, decision: askedToo(admission.decision, findings) };
  };

  async #findings(call: Call): Promise<readonly Finding[]> {
    const policy = await this.#policy();
    const place = placeOf(call, this.#surroundings.userHome);
    return writtenFindings(policy.writes({ command: readable(call.subject), ...place }), this.#surroundings);
  }
}

/** What is known against writing these files. */
export function writtenFindings(writes: readonly Written[], surroundings: HomeDirectories): readonly Finding[] {
  if (writes.length === 0) return [];
  const { userHome, home } = surroundings;
  const real = { userHome: realPath(userHome), home: realPath(home) };
  return writes.flatMap(({ path, start, end }) => {
    const absolute = path.replace(/^~(?=\/|$)/, () => userHome);
    const protection = protectionAt(absolute, [surroundings, real]);
    return protection === null ? [] : [{ rule, description: `writes ${protection.description}`, start, end }];
  });
}

/** What the dangerous list has found by its name is not reported a second time. */
function protectionAt(path: string, [named, real]: readonly [HomeDirectories, HomeDirectories]): Protection | null {
  const byName = protectionOf(resolve(path), named);
  const found = byName ?? protectionOf(realPath(path), real);
  if (found?.kind === 'repository' && byName !== null) return null;
  if (found === null || found.kind !== 'protected' || byName === null) return found;
  return resolve(path).startsWith(`${named.home}/`) ? found : null;
}
