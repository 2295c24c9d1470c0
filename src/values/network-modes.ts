/** From the widest to the narrowest. Pure. */
export const networkModes = ['open', 'observe', 'filtered', 'none'] as const;

type Mode = (typeof networkModes)[number];

/** The narrower one of both. */
export const narrower = (one: Mode, other: Mode): Mode =>
  networkModes.indexOf(one) >= networkModes.indexOf(other) ? one : other;
