/** What this backend promises, by kind of place, for the page of guarantees. */
import type { Guarantees } from '../../src/backend.ts';
import { type EngineFacts, toGuarantees } from './guarantees.ts';

const elsewhere = 'the engine is not on this host';
const usual: EngineFacts = {
  architecture: 'x86_64',
  cgroupVersion: 2,
  components: {},
  defaultRuntime: 'runc',
  limits: { cpu: true, memory: true, swap: true, pids: true },
  rootless: false,
  runtimes: ['runc'],
  seccomp: 'default',
  userNamespace: false,
};
const unsized = { enforced: false, reason: 'the storage driver has no sizes of containers' } as const;
const refusals = { enforced: true, by: 'iptables in its own network namespace' } as const;
const sized = { enforced: true, by: 'a quota of the storage driver' } as const;

export const promises: Readonly<Record<string, Guarantees>> = {
  'an engine here, with quotas': toGuarantees(usual, {
    disk: sized,
    local: true,
    hostUser: true,
    door: true,
    refusals,
  }),
  'an engine here, on overlay2 without quotas': toGuarantees(usual, {
    disk: unsized,
    local: true,
    hostUser: true,
    door: true,
    refusals,
  }),
  'an engine elsewhere': toGuarantees(usual, {
    disk: unsized,
    local: false,
    hostUser: false,
    door: false,
    refusals: { enforced: false, reason: elsewhere },
  }),
};
