/** All attacks by their names, and which of them a short run makes at the same time. */
import type { Attack } from '../attacker.ts';
import { kept } from './kept.ts';
import { memory } from './memory.ts';
import { places } from './places.ts';
import { time } from './time.ts';

const groups = { memory, time, places, kept } as const;

export const attacks: Readonly<Record<string, Attack>> = { ...memory, ...time, ...places, ...kept };

export const groupNames: readonly (readonly string[])[] = Object.values(groups).map((group) => Object.keys(group));
