// To import is to set up a process of Caisson's own that runs for long, before anything else of it is loaded: a service, the benches that
// measure one. A library has no say in this: who embeds Caisson sets flags as they like.
import { setFlagsFromString } from 'node:v8';
import { keepToOneTier } from './one-tier.cjs';

keepToOneTier();

// Output passes through in chunks that die at once. V8 would answer them with a young generation of 32 MB, full of dead chunks;
// one that stays small costs nothing measurable there and keeps the process half the size. Given to node as an argument the flag
// does not hold: the generation grows while modules load. A short command pays for it with 20 ms of collections.
setFlagsFromString('--semi-space-growth-factor=1');
