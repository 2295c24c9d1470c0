/**
 * The terminal writes style elements of its own. The policy of the page takes them with the nonce of its answer, which they must have
 * when they are made: later is too late.
 */
export function labelStyles(page: Document): void {
  const nonce = page.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
  // oxlint-disable-next-line typescript/no-deprecated -- only the overload with a string as options is deprecated
  const make = page.createElement.bind(page);
  // oxlint-disable-next-line typescript/no-deprecated -- only the overload with a string as options is deprecated
  page.createElement = (name: string, options?: ElementCreationOptions): HTMLElement => {
    const element = make(name, options);
    if (name.toLowerCase() === 'style') element.nonce = nonce;
    return element;
  };
}
