/** Names of variables that say where a program runs and what for: what else begins like them may hold anything. */
const patterns = [
  // Locale categories (locale(7)).
  /^LC_(?:ALL|ADDRESS|COLLATE|CTYPE|IDENTIFICATION|MEASUREMENT|MESSAGES|MONETARY|NAME|NUMERIC|PAPER|TELEPHONE|TIME)$/,
  // freedesktop.org.
  /^XDG_(?:(?:CACHE|CONFIG|DATA|STATE|BIN)_HOME|(?:CONFIG|DATA)_DIRS|RUNTIME_DIR|CURRENT_DESKTOP|SEAT|VTNR|MENU_PREFIX)$/,
  /^XDG_SESSION_(?:ID|TYPE|CLASS|DESKTOP)$/,
];

/** Whether the name is a locale category or a variable of freedesktop.org. Pure. */
export function isStandardVariable(name: string): boolean {
  return patterns.some((pattern) => pattern.test(name));
}
