/** The route of the page, as it stands in its address. */
import { useEffect, useState } from 'preact/hooks';
import { hashOf, type Route, routeOf } from '../route.ts';

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const look = (): void => setHash(location.hash);
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  return routeOf(hash);
}

/** A filter changes the address without a step in the history for each letter. */
export function replaceRoute(route: Route): void {
  history.replaceState(null, '', hashOf(route));
  dispatchEvent(new HashChangeEvent('hashchange'));
}
