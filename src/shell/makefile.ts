/** What make hands to a shell, of a makefile and the targets that it is asked for. */

interface Rule {
  readonly needs: readonly string[];
  readonly recipe: string[];
}

/** `a b: c d; recipe`, and not `a := b`. */
const rule = /^([^\s#:=][^:=#]*)::?(?!=)([^=;#]*)(?:;(.*))?$/;
/** Run as the file is read, whatever is asked for. */
const early = /\$[({]shell ([^)}\n]+)|!=(.+)$/gm;
const maxTargets = 200;

/** `goals` empty: the first target. */
export function recipesOf(makefile: string, goals: readonly string[]): readonly string[] {
  const { rules, first } = rulesIn(makefile);
  const todo = goals.length > 0 ? goals.slice() : first;
  const done = new Set<string>();
  const texts = [Array.from(makefile.matchAll(early), ([, called, set]) => called ?? set ?? '')];
  for (let at = 0; at < todo.length && at < maxTargets; at += 1) {
    const found = done.has(todo[at] ?? '') ? undefined : rules.get(todo[at] ?? '');
    done.add(todo[at] ?? '');
    if (found === undefined) continue;
    texts.push(found.recipe);
    for (const need of found.needs.slice(0, maxTargets)) todo.push(need);
  }
  return texts.flat();
}

function rulesIn(makefile: string): { readonly rules: ReadonlyMap<string, Rule>; readonly first: string[] } {
  const rules = new Map<string, Rule>();
  const first: string[] = [];
  let open: readonly Rule[] = [];
  for (const line of makefile.replaceAll('\\\n', ' ').split('\n')) {
    const [, targets = '', needs = '', recipe] = rule.exec(line) ?? [];
    const names = targets.split(/\s+/).filter((name) => name !== '');
    if (line.startsWith('\t')) for (const each of open) each.recipe.push(commandIn(line));
    if (names.length === 0) continue;
    if (first.length === 0 && !targets.startsWith('.')) first.push(names[0] ?? '');
    open = names.map((name) => ({ needs: needs.split(/\s+/), recipe: rules.get(name)?.recipe ?? [] }));
    for (const [at, name] of names.entries()) {
      const made = open[at];
      if (made !== undefined) rules.set(name, made);
      if (recipe !== undefined) made?.recipe.push(commandIn(recipe));
    }
  }
  return { rules, first };
}

const commandIn = (line: string): string => line.replace(/^[\s@+-]+/, '').replaceAll('$$', '$');
