/** From the widest to the narrowest. Pure. */
export const networkModes = ['open', 'observe', 'filtered', 'none'] as const;

type Mode = (typeof networkModes)[number];

/** What a place is asked for: which hosts are allowed behind the door is no matter of the place. */
export const placedMode = (mode: Mode): Mode => (mode === 'observe' ? 'filtered' : mode);

/** The narrower one of both. */
export const narrower = (one: Mode, other: Mode): Mode =>
  networkModes.indexOf(one) >= networkModes.indexOf(other) ? one : other;
