/** Reads the commands of a text out of its syntax tree: one pass in source order, without recursion. */
import type { FlatTree } from '../grammar/flatten.ts';
import { differsAt } from './edges.ts';
import { features } from './features.ts';
import { mostPerValue, perValue, type Loop } from './loops.ts';
import { runsIndex } from './effects.ts';
import { behindTarget, byLine, childrenOf, dashBetween, eatenBy, outside, stagesOf, wordRanges, type Range } from './ranges.ts';
import { copyOf, keepValue, type Around, type Payload } from './parts.ts';
import type { Session } from './session.ts';
import { hole, wordBreak, type Assignment, type Feature, type Redirect, type Word } from './types.ts';
import { substitutionsIn } from './quoting.ts';
import { unseenIn } from './unseen.ts';
import { readSimple } from './simple.ts';
import { resolveText, resolveValue, resolveWord } from './words.ts';

/** Whether the shell would read the text as the tree has it. */
export function readTree(tree: FlatTree, payload: Payload, session: Session): boolean {
  return new Reader(tree, payload, session).read();
}

class Reader {
  readonly #tree: FlatTree;
  readonly #text: string;
  readonly #payload: Payload;
  readonly #session: Session;
  readonly #stages = new Map<number, { readonly pipeline: object; readonly index: number }>();
  /** Redirections that the grammar puts around a list, but belong to its last command. */
  readonly #lent = new Map<number, { readonly redirects: readonly number[]; readonly reach: number; readonly dash: readonly Range[] }>();
  /** What holds again behind a node. */
  readonly #open: { readonly until: number; readonly around: Around }[] = [];
  readonly #loops: Loop[] = [];
  /** Parts of here-documents that the grammar takes for words. */
  readonly #eaten: Range[] = [];
  #around: Around;
  #asShell = true;

  constructor(tree: FlatTree, payload: Payload, session: Session) {
    this.#tree = tree;
    this.#text = payload.text;
    this.#payload = payload;
    this.#session = session;
    this.#around = payload.around;
  }

  read(): boolean {
    const { kind } = this.#tree;
    for (let node = 0; node < kind.length; node += 1) {
      this.#leave(node);
      const stage = this.#stages.get(node);
      if (stage !== undefined) this.#enter(node, { stage, scope: copyOf(this.#around.scope) });
      const feature = features[kind[node] ?? ''];
      if (feature !== undefined) this.#session.features.add(feature);
      this.#visit(node, kind[node] ?? '');
    }
    return this.#asShell;
  }

  #leave(node: number): void {
    for (let top = this.#open.at(-1); top !== undefined && node >= top.until; top = this.#open.at(-1)) {
      this.#around = top.around;
      this.#open.pop();
    }
  }

  #enter(node: number, change: Partial<Around>): void {
    this.#open.push({ until: this.#tree.last[node] ?? 0, around: this.#around });
    this.#around = { ...this.#around, ...change };
  }

  #visit(node: number, kind: string): void {
    for (const text of unseenIn(this.#tree, this.#text, node)) this.#readAside(text, this.#span(node));
    if (kind === 'command') this.#command(node);
    else if (kind === 'redirected_statement') this.#redirected(node);
    else if (kind === 'declaration_command' || kind === 'test_command' || kind === 'unset_command') this.#keyword(node, kind);
    else if (kind === 'arithmetic_expansion' || (kind === 'compound_statement' && this.#source(node).startsWith('(('))) this.#asSimple(node, 'expansion');
    else if (kind === 'variable_assignment') this.#loneAssignment(node);
    else if (kind === 'pipeline') this.#pipeline(node);
    else if (kind === 'function_definition') this.#function(node);
    else if (kind === 'subshell' || kind === 'command_substitution' || kind === 'process_substitution') {
      this.#enter(node, { scope: copyOf(this.#around.scope), ...(kind === 'subshell' ? {} : { stage: null, stdin: null }) });
      // `$(> x)` is a redirection without any command.
      const redirects = this.#children(node).filter((child) => this.#tree.kind[child] === 'file_redirect');
      if (redirects.length > 0) this.#emit({ node, reach: node, words: [], redirects, assignments: [] });
    } else if (kind === 'for_statement') this.#loopVariable(node);
    else if (kind === 'expansion' && /@P\}$/.test(this.#source(node))) this.#session.noteIndex(this.#span(node));
    else if (differsAt(this.#tree, this.#text, node)) this.#differs(node);
  }

  /** Where the shell reads the text otherwise, the light reader looks at it again. */
  #differs(node: number): void {
    this.#asShell = false;
    this.#session.note('U1', 'command that does not parse', this.#span(node));
  }

  #children(node: number): readonly number[] {
    return childrenOf(this.#tree, node);
  }

  #source(node: number): string {
    return this.#text.slice(this.#tree.start[node], this.#tree.end[node]);
  }

  #span(node: number): { start: number; end: number } {
    return this.#payload.span ?? { start: this.#tree.start[node] ?? 0, end: this.#tree.end[node] ?? 0 };
  }

  #command(node: number): void {
    const { kind } = this.#tree;
    const assignments: Assignment[] = [];
    const redirects: number[] = [];
    const words: number[] = [];
    for (const child of this.#children(node)) {
      const name = kind[child] ?? '';
      if (name === 'variable_assignment') assignments.push(this.#assignment(child));
      else if (name.endsWith('_redirect')) redirects.push(child);
      else if (name === 'subshell' && !/^time\s/.test(this.#source(node))) this.#differs(child); // only the keyword takes that
      else if (name !== 'comment' && name !== 'subshell') words.push(child);
    }
    if (differsAt(this.#tree, this.#text, node)) this.#differs(node);
    const lent = this.#lent.get(node);
    redirects.push(...(lent?.redirects ?? []));
    const behind = redirects.flatMap((redirect) => behindTarget(this.#tree, redirect));
    const before = this.#around;
    const variants = perValue(this.#session.commands.length > mostPerValue ? [] : this.#loops.filter(({ until }) => node < until), this.#source(lent?.reach ?? node), before);
    const [first = [], ...further] = byLine(this.#tree, this.#text, outside(this.#tree, words, this.#eaten));
    const [rest = [], ...below] = byLine(this.#tree, this.#text, outside(this.#tree, behind, this.#eaten));
    const reach = lent?.reach ?? node;
    for (const around of variants) {
      this.#around = around;
      const own = [...this.#words(first), ...(lent?.dash ?? []).flatMap((range) => resolveWord('-', this.#payload.span ?? range, around.scope)), ...this.#words(rest)];
      this.#emit({ node, reach, words: own, redirects, assignments });
      for (const line of [...further, ...below]) this.#emit({ node, reach, words: this.#words(line), redirects, assignments: [] });
    }
    this.#around = before;
    if (variants.some(({ scope }) => scope.cwd !== before.scope.cwd)) before.scope.cwd = null;
  }

  #emit(what: { readonly node: number; readonly reach: number; readonly words: readonly Word[]; readonly redirects: readonly number[]; readonly assignments: readonly Assignment[] }): void {
    const background = /^[ \t]*&(?![&>])/.test(this.#text.slice(this.#tree.end[what.reach], (this.#tree.end[what.reach] ?? 0) + 16));
    if (background) this.#session.features.add('background');
    this.#session.emit({
      words: what.words,
      redirects: what.redirects.flatMap((each) => this.#redirects(each)),
      assignments: what.assignments,
      ...this.#span(what.reach),
      background,
      around: this.#around,
      stdin: this.#stdinOf(what.redirects),
    }, this.#payload);
  }

  #words(nodes: readonly number[]): readonly Word[] {
    return wordRanges(this.#tree, this.#text, nodes).flatMap((range) => resolveWord(this.#text.slice(range.start, range.end), this.#payload.span ?? range, this.#around.scope));
  }

  #assignment(node: number): Assignment {
    const source = this.#source(node);
    const at = source.indexOf('=');
    const name = source.slice(0, at).replace(/\+$/, '').replace(/\[[^]*/, '');
    const raw = source.slice(at + 1);
    const added = source[at - 1] === '+';
    const single = (): string => (added || (source[at - 1] === ']' && !/^BASH_/.test(name)) ? hole : resolveValue(raw, this.#around.scope));
    const value = raw.startsWith('(') ? this.#array(node, added ? this.#around.scope.vars.get(name) : '') : single();
    return { name, value, ...this.#span(node) };
  }

  /** `a=(...)`; behind what it held before, when it is added. */
  #array(node: number, before: string | undefined): string {
    const array = this.#children(node).find((child) => this.#tree.kind[child] === 'array');
    if (array === undefined || before === undefined || (before !== '' && !before.startsWith(wordBreak))) return hole;
    return before + this.#words(this.#children(array)).map(({ text }) => wordBreak + text).join('');
  }

  #loneAssignment(node: number): void {
    if (/^(?:declaration_)?command$/.test(this.#tree.kind[this.#tree.parent[node] ?? -1] ?? '')) return;
    const assignment = this.#assignment(node);
    keepValue(this.#around.scope, assignment.name, assignment.value);
    this.#emit({ node, reach: node, words: [], redirects: [], assignments: [assignment] });
  }

  #keyword(node: number, kind: string): void {
    const source = this.#source(node);
    if (kind === 'test_command') this.#test(node);
    const name = kind === 'test_command' ? 'test' : (/^\w+/.exec(source)?.[0] ?? kind);
    const [children = [], ...further] = byLine(this.#tree, this.#text, this.#children(node));
    const assignments = children.filter((child) => this.#tree.kind[child] === 'variable_assignment').map((child) => this.#assignment(child));
    const refers = /^(?:declare|typeset|local)$/.test(name) && children.some((child) => /^-[a-zA-Z]*n/.test(this.#source(child)));
    for (const { name: variable, value } of assignments) keepValue(this.#around.scope, variable, refers ? hole : value);
    if (kind === 'unset_command') for (const child of children) this.#around.scope.vars.set(this.#source(child), hole);
    const first: Word = { text: name, raw: name, ...this.#span(node), literal: true, glob: false };
    const rest = children.filter((child) => this.#tree.kind[child] !== 'variable_assignment').map((child) => ({ text: this.#source(child), raw: this.#source(child), ...this.#span(child), literal: false, glob: false }));
    this.#emit({ node, reach: node, words: [first, ...rest], redirects: [], assignments });
    for (const line of further) this.#emit({ node, reach: node, words: this.#words(line), redirects: [], assignments: [] });
  }

  #test(node: number): void {
    this.#asSimple(node);
    for (let below = node + 1; below < (this.#tree.last[node] ?? 0); below += 1)
      if (/string|word|concatenation/.test(this.#tree.kind[below] ?? '') && runsIndex(this.#words([below])[0]?.text ?? '')) this.#session.noteIndex(this.#span(below));
  }

  #function(node: number): void {
    const [name = node, body = node] = this.#children(node);
    this.#session.defineFunction(this.#source(name), this.#source(body), this.#span(node));
    this.#enter(node, { within: this.#source(name) });
  }

  /** Redirections of a group are a command of their own here, and what it reads is read by all in it. */
  #redirected(node: number): void {
    const { kind } = this.#tree;
    const children = this.#children(node);
    const redirects = children.filter((child) => (kind[child] ?? '').endsWith('_redirect'));
    let body = children.find((child) => !(kind[child] ?? '').endsWith('_redirect'));
    while (body !== undefined && /^(?:list|pipeline|negated_command)$/.test(kind[body] ?? '')) body = this.#children(body).at(-1);
    for (const redirect of redirects) if (kind[redirect] === 'heredoc_redirect') this.#document(redirect, body);
    if (body !== undefined && kind[body] === 'command') {
      this.#lent.set(body, { redirects, reach: node, dash: dashBetween(this.#tree, this.#text, { body, redirect: redirects[0] ?? body }) });
      return;
    }
    this.#emit({ node, reach: node, words: [], redirects, assignments: [] });
    const stdin = this.#stdinOf(redirects);
    if (stdin !== null) this.#enter(node, { stdin });
  }

  /** `cat <<E | sh`: the grammar puts what follows the pipe below the here-document. */
  #document(redirect: number, body: number | undefined): void {
    const eaten = eatenBy(this.#tree, this.#text, redirect);
    if (eaten !== null) this.#eaten.push(eaten);
    const { kind, start } = this.#tree;
    const piped = this.#children(redirect).find((child) => kind[child] === 'pipeline');
    if (piped === undefined || body === undefined || !/\|&?\s*$/.test(this.#text.slice(start[redirect], (start[piped] ?? 0) + 1))) return;
    this.#stand([body, ...stagesOf(this.#tree, piped)]);
  }

  #stand(stages: readonly number[]): void {
    const pipeline = {};
    for (const [index, stage] of stages.entries()) this.#stages.set(stage, { pipeline, index });
  }

  #pipeline(node: number): void {
    const stages = stagesOf(this.#tree, node);
    if (!stages.some((stage) => this.#stages.has(stage))) this.#stand(stages);
  }

  #loopVariable(node: number): void {
    const [name, ...values] = this.#children(node).filter((child) => !/^(?:do_group|compound_statement)$/.test(this.#tree.kind[child] ?? ''));
    if (name === undefined) return;
    const words = this.#words(values);
    const [only] = words;
    keepValue(this.#around.scope, this.#source(name), words.length === 1 && only !== undefined && !only.glob ? only.text : hole);
    if (words.some(({ text }) => runsIndex(text))) this.#session.noteIndex(this.#span(node));
    if (words.length > 1 || only?.glob === true) this.#loops.push({ name: this.#source(name), values: words.map(({ text }) => text), until: this.#tree.last[node] ?? 0 });
  }

  #redirects(node: number): readonly Redirect[] {
    const { kind } = this.#tree;
    const children = this.#children(node);
    if (kind[node] === 'heredoc_redirect') return children.filter((child) => kind[child] === 'file_redirect').flatMap((child) => this.#redirects(child));
    if (kind[node] === 'herestring_redirect') return [];
    const target = children.find((child) => kind[child] !== 'file_descriptor');
    if (target === undefined) return [];
    const operator = /[<>&|]+/.exec(this.#text.slice(this.#tree.start[node], this.#tree.start[target]))?.[0] ?? '';
    const duplicates = operator.endsWith('&') && /^(?:\d+|-)$/.test(this.#source(target));
    return duplicates ? [] : this.#words([target]).map((word) => ({ operator, target: word, writes: operator.includes('>') }));
  }

  /** The grammar does not see every substitution in a here-document; the shell does. */
  #expanded(body: number, source: string): string {
    if (/[$`]/.test(source)) this.#session.features.add('expansion');
    for (const text of substitutionsIn(source)) this.#readAside(text, this.#span(body));
    return resolveText(source, this.#around.scope);
  }

  #readAside(text: string, at: { readonly start: number; readonly end: number }): void {
    const around = { ...this.#around, stdin: null, stage: null };
    const word = { text: '', raw: '', ...at, literal: false, glob: false };
    this.#session.read({ text, word }, { cwd: around.scope.cwd, around, depth: this.#payload.depth, span: this.#payload.span, elsewhere: this.#payload.elsewhere });
  }

  #asSimple(node: number, feature?: Feature): void {
    if (feature !== undefined) this.#session.features.add(feature);
    const around = { ...this.#around, scope: copyOf(this.#around.scope) };
    readSimple({ ...this.#payload, text: this.#source(node), span: this.#span(node), around }, this.#session);
  }

  #stdinOf(redirects: readonly number[]): string | null {
    const { kind } = this.#tree;
    let text: string | null = null;
    for (const node of redirects) {
      const children = this.#children(node);
      if (kind[node] === 'herestring_redirect') text = `${this.#words(children).map((word) => word.text).join(' ')}\n`;
      const body = kind[node] === 'heredoc_redirect' ? children.find((child) => kind[child] === 'heredoc_body') : undefined;
      if (body === undefined) continue;
      const quoted = /['"\\]/.test(this.#source(children.find((child) => kind[child] === 'heredoc_start') ?? body));
      const source = this.#text.slice((eatenBy(this.#tree, this.#text, node)?.start ?? (this.#tree.start[body] ?? 0) - 1) + 1, this.#tree.end[body]);
      text = quoted ? source : this.#expanded(body, source);
    }
    return text;
  }
}
