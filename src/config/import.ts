/** Loads a module whose place is known only now. A bundle keeps this file apart. */
export async function importModule(url: string): Promise<unknown> {
  const module: unknown = await import(url);
  return module;
}
