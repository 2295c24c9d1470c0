/** Types of the keys `terminal.daytona_*`, with what each means. */
import { z } from 'zod';
import { checkedText, flagKey, key } from '../../src/lib/config-key.ts';
import { imageProblem } from '../../src/values/image.ts';

const count = (max: number): z.ZodNumber => z.number().int().min(1).max(max);
const minutes = count(525_600);

export const schema = {
  image: key(checkedText(imageProblem), 'an image reference such as debian:12', 'Image of Daytona sandboxes.'),
  network: flagKey('Whether sandboxes have outbound network.'),
  api_url: key(
    z.string().regex(/^https?:\/\/[^\s@]{1,500}$/),
    'an address such as https://app.daytona.io/api',
    'API of Daytona. The variable DAYTONA_API_URL goes before it.',
  ),
  target: key(
    z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/),
    'a region such as us',
    'Region of new sandboxes. The variable DAYTONA_TARGET goes before it.',
  ),
  max_sandboxes: key(
    count(10_000).nullable(),
    'a number from 1 on, or null',
    'Most sandboxes that may run in the account, those of other programs included; one more is refused. null: any number.',
  ),
  idle_minutes: key(
    minutes,
    'a number of minutes from 1 on',
    'After so long without any request the service stops a sandbox.',
  ),
  archive_minutes: key(
    minutes,
    'a number of minutes from 1 on',
    'A sandbox that is stopped for so long is archived, which frees its quota of disk.',
  ),
  lifetime_minutes: key(
    minutes,
    'a number of minutes from 1 on',
    'A sandbox that keeps no files is deleted after so long, whatever it does.',
  ),
  max_cpu: key(count(1024), 'a number of cores from 1 on', 'Most cores that the account gives to one sandbox.'),
  max_memory: key(count(4096), 'GiB from 1 on', 'Most memory that the account gives to one sandbox, in GiB.'),
  max_disk: key(count(65_536), 'GiB from 1 on', 'Most disk that the account gives to one sandbox, in GiB.'),
} as const;
