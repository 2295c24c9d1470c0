/** The hosts of the configuration: one, or a pool of several by name. */
import type { OpenOptions } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { textField } from './fault.ts';

export interface Member {
  /** Its own name in the pool; `null` for the one host of terminal.ssh_host. */
  readonly name: string | null;
  /** `host`, `user`, `port` and `key`, as the target wants them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** How many sandboxes of this installation it takes. `null`: as many as come. */
  readonly capacity: number | null;
  /** It takes no new tasks; what is there goes on. */
  readonly drain: boolean;
}

/** Throws `failed_precondition` where it is not known which hosts are meant. */
export function readMembers({ settings = {} }: Pick<OpenOptions, 'settings'>): readonly Member[] {
  const { hosts, ...common } = settings;
  const named = Object.entries(isRecord(hosts) ? hosts : {});
  if (named.length === 0) return [{ name: null, settings: common, capacity: null, drain: false }];
  if (textField(common, 'host') !== null)
    throw new CaissonError('failed_precondition', 'terminal.ssh_host and terminal.ssh_hosts are both set', {
      remedy: 'move the one host into ssh_hosts; its sandboxes are found there again',
    });
  return named.map(([name, own]) => readMember(name, isRecord(own) ? own : {}, common));
}

function readMember(name: string, own: Fields, common: Fields): Member {
  const { capacity, drain } = own;
  const pick = (key: string): unknown => own[key] ?? common[key] ?? null;
  return {
    name,
    settings: { host: own['host'] ?? name, user: pick('user'), port: pick('port'), key: pick('key') },
    capacity: typeof capacity === 'number' ? capacity : null,
    drain: drain === true,
  };
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
