/**
 * The image where none is configured: the default's, unless the place lacks it and has the one that Caisson builds by itself.
 * A first command then needs no registry. A sandbox that is there keeps the image that it was made from: this choice is no
 * part of what the configuration says.
 */
import type { Backend } from '../backend.ts';
import type { Settled } from '../plan/resolve.ts';
import { cancelable, type StepOptions } from './context.ts';

/** Name of the image that `caisson image build base` makes. */
const builtImage = 'caisson/base:latest';

export async function withUsualImage(settled: Settled, { images }: Backend, options: StepOptions): Promise<Settled> {
  const { spec, usualImage } = settled;
  if (!usualImage || spec.image === null || images === undefined) return settled;
  const there = new Set((await images.list(cancelable(options))).map(({ reference }) => reference));
  const isBuilt = !there.has(spec.image) && there.has(builtImage);
  return isBuilt ? { ...settled, spec: { ...spec, image: builtImage } } : settled;
}
