import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { judgeUrls } from '../../../src/network/address/url.ts';
import { noRules } from './rules.ts';

const texts = z.array(z.string());
const vectors = z
  .array(
    z.object({
      url: z.string(),
      expect: z.enum(['allow', 'block']),
      why: z.string(),
      dns: texts.default([]),
      redirects: texts.default([]),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8')));

it.each(vectors)('$url: $expect, $why', ({ url, expect: expected, dns, redirects }) => {
  expect(judgeUrls({ url, dns, redirects }, noRules).verdict).toBe(expected);
});

it('there are vectors of both kinds', () =>
  expect(new Set(vectors.map((vector) => vector.expect))).toEqual(new Set(['allow', 'block'])));
