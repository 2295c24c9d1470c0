/** From the widest to the narrowest. Pure. */
export const networkModes = ['open', 'observe', 'filtered', 'none'] as const;

type Mode = (typeof networkModes)[number];

/** Mode that a place is asked for: the door, not the place, decides which hosts are allowed behind it. */
export const placedMode = (mode: Mode): Mode => (mode === 'observe' ? 'filtered' : mode);

/** The narrower one of both. */
export const narrower = (one: Mode, other: Mode): Mode =>
  networkModes.indexOf(one) >= networkModes.indexOf(other) ? one : other;
