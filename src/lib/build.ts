/** Which build of Caisson this is: the bundler puts the name in. */
declare const CAISSON_BUILD: string;

/** Another one for every change of the code; `null` in a checkout, where files change under a running version. */
export const build: string | null = typeof CAISSON_BUILD === 'string' ? CAISSON_BUILD : null;
