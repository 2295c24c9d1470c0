/** What this backend promises, for the page of guarantees. */
import type { Guarantees } from '../../src/backend.ts';
import { guarantees } from './guarantees.ts';

export const promises: Readonly<Record<string, Guarantees>> = { 'the service': guarantees };
