/** Types of the keys `terminal.modal_*`, with what each means. */
import { checkedText, key } from '../../src/lib/config-key.ts';
import { imageProblem } from '../../src/values/image.ts';

export const schema = {
  image: key(checkedText(imageProblem), 'an image reference such as debian:12', 'Image of Modal sandboxes.'),
} as const;
