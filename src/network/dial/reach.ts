/** What connections of every kind share. Apart from them, so that the egress proxy does not load an HTTP client. */

/** Maps an address to the one that is really connected to. The two differ only in tests. */
export type Reach = (address: string, port: number) => { readonly address: string; readonly port: number };

/** A name may have any number of addresses; so many are tried. */
export const maxAttempts = 4;
