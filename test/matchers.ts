/** vitest's matchers with a type: its own are `any`, which would switch the checks of their surroundings off. */
import { expect } from 'vitest';

export const containing = (text: string): unknown => expect.stringContaining(text);
export const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
export const notContaining = (text: string): unknown => expect.not.stringContaining(text);
export const someText = (): unknown => expect.any(String);
