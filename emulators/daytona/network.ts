/**
 * What a sandbox may reach, as requests say it. Nothing is let out by a list here: the emulator keeps it and shows it, and the
 * sandbox has loopback alone.
 */
import type { UpdateSandboxNetworkSettings } from '@daytona/api-client';
import { z } from 'zod';
import { ApiError } from './refuse.ts';

export interface Network {
  readonly networkBlockAll: boolean;
  readonly networkAllowList?: string;
  readonly domainAllowList?: string;
}

const [maxRanges, maxDomains] = [10, 20];
const range = /^\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}$/;
const domain = /^(?:\*\.)?(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z\d-]+$/i;

const listOf = (form: RegExp, max: number) =>
  z
    .string()
    .max(8192)
    .refine((text) => entriesOf(text).length <= max, `has at most ${max} entries`)
    .refine((text) => entriesOf(text).every((entry) => form.test(entry)), 'has an entry of another form');

export const networkFields = {
  networkBlockAll: z.boolean().optional(),
  networkAllowList: listOf(range, maxRanges).optional(),
  domainAllowList: listOf(domain, maxDomains).optional(),
} satisfies { [K in keyof UpdateSandboxNetworkSettings]?: z.ZodType };

export const networkChange = z.strictObject(networkFields);
type NetworkUpdate = z.infer<typeof networkChange>;

export function networkOf({ networkBlockAll = false, networkAllowList, domainAllowList }: NetworkUpdate): Network {
  return {
    networkBlockAll,
    ...(networkAllowList === undefined ? {} : { networkAllowList }),
    ...(domainAllowList === undefined ? {} : { domainAllowList }),
  };
}

/** A block that is lifted takes the lists of before along. */
export function changedNetwork(before: Network, asked: NetworkUpdate): Network {
  const kept = asked.networkBlockAll === false ? { networkBlockAll: false } : before;
  const next = { ...kept, ...networkOf({ ...kept, ...asked }) };
  if (isOpen(next) === isOpen(before)) return next;
  throw new ApiError(501, 'this emulator cannot open a network that was closed, nor close one that was open');
}

/** Applies the organization's own list, if it has one. A block stays a block. */
export function overridden(network: Network, domains: string | null): Network {
  return domains === null || network.networkBlockAll ? network : { ...network, domainAllowList: domains };
}

export const isOpen = ({ networkBlockAll, networkAllowList, domainAllowList }: Network): boolean =>
  !networkBlockAll && networkAllowList === undefined && domainAllowList === undefined;

const entriesOf = (text: string): readonly string[] => text.split(',').filter(Boolean);
