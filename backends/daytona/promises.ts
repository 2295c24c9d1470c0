/** What this backend promises, for the page of guarantees. */
import type { Guarantees } from '../../src/backend.ts';
import { guaranteesOf } from './guarantees.ts';
import { readSettings } from './settings.ts';

export const promises: Readonly<Record<string, Guarantees>> = { 'the service': guaranteesOf(readSettings({})) };
