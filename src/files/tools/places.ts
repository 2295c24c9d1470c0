/** Finds a sequence in another (Knuth, Morris and Pratt, 1977): equal items take no longer than others. */

interface Search {
  readonly from: number;
  /** The search ends with this many. */
  readonly max: number;
  /** A place begins behind the end of the one before it. */
  readonly apart?: boolean;
}

export function placesOf<Item>(
  items: ArrayLike<Item>,
  wanted: ArrayLike<Item>,
  { from, max, apart = false }: Search,
): readonly number[] {
  const back = fallbacks(wanted);
  const places: number[] = [];
  let matched = 0;
  for (let at = from; at < items.length && places.length < max; at += 1) {
    while (matched > 0 && (matched === wanted.length || items[at] !== wanted[matched]))
      matched = back[matched - 1] ?? 0;
    if (items[at] === wanted[matched]) matched += 1;
    if (matched !== wanted.length) continue;
    places.push(at + 1 - matched);
    if (apart) matched = 0;
  }
  return places;
}

/** For each item, the length of the longest proper prefix that ends there. */
function fallbacks<Item>(wanted: ArrayLike<Item>): Int32Array {
  const back = new Int32Array(wanted.length);
  for (let at = 1; at < wanted.length; at += 1) {
    let length = back[at - 1] ?? 0;
    while (length > 0 && wanted[at] !== wanted[length]) length = back[length - 1] ?? 0;
    back[at] = wanted[at] === wanted[length] ? length + 1 : 0;
  }
  return back;
}
